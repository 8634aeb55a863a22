# Runs clang-format over all C and C++ of the project.
#
#   cmake -DCLANG_FORMAT=PROGRAM -DCHECK=ON|OFF -DSOURCE_DIR=DIR -P ...
#
# The files are found when this runs, so that new ones count at once.

set(patterns)
foreach(folder bench cmake dialect examples include lib runtime test tools
               unittests)
  foreach(ending c h cpp)
    list(APPEND patterns ${SOURCE_DIR}/${folder}/*.${ending})
  endforeach()
endforeach()
file(GLOB_RECURSE files ${patterns})
if(NOT files)
  message(FATAL_ERROR "${SOURCE_DIR} holds no C or C++ sources")
endif()

if(CHECK)
  set(arguments --dry-run --Werror)
else()
  set(arguments -i)
endif()
execute_process(COMMAND ${CLANG_FORMAT} --style=file ${arguments} ${files}
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR
    "the files above are not formatted as .clang-format says; run "
    "`make format` and commit the result.")
endif()
