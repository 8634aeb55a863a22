// Holds the precompiled header, see AddGNN.cmake.
