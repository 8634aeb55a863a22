# Fails when a generated page of docs/ is not what the .td files say.
#
#   cmake -DPAGES=a;b -DGENERATED=DIR -DCOMMITTED=DIR -P CheckDocs.cmake

set(stale)
foreach(page IN LISTS PAGES)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E compare_files ${GENERATED}/${page}
            ${COMMITTED}/${page}
    RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
  if(differs)
    list(APPEND stale docs/${page})
  endif()
endforeach()
if(stale)
  list(JOIN stale ", " stale)
  message(FATAL_ERROR
    "${stale}: not what the .td files generate; run `make docs` and commit the "
    "result.")
endif()
