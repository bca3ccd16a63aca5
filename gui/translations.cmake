# Translations of the window: the .ts files are compiled into the program. After changing a string in gui/, build the target
# `update_translations`, translate what is new in translations/*.ts (Qt Linguist or an editor), and build again.
set(TANDEM_TS_FILES ${PROJECT_SOURCE_DIR}/translations/tandem_en.ts ${PROJECT_SOURCE_DIR}/translations/tandem_zh_CN.ts)

# Compiles the .ts files and embeds them as :/i18n/tandem_<language>.qm of this library.
function(tandem_embed_translations target)
  set_source_files_properties(${TANDEM_TS_FILES} PROPERTIES OUTPUT_LOCATION ${CMAKE_CURRENT_BINARY_DIR})
  qt_add_lrelease(${target} TS_FILES ${TANDEM_TS_FILES} QM_FILES_OUTPUT_VARIABLE qm_files OPTIONS -silent)
  qt_add_resources(${target} tandem_translations PREFIX /i18n BASE ${CMAKE_CURRENT_BINARY_DIR} FILES ${qm_files})
endfunction()

# English has only plural forms to translate: its file is made with -pluralonly.
add_custom_target(update_translations
  COMMAND Qt6::lupdate -silent -I ${PROJECT_SOURCE_DIR} -locations none -no-obsolete -recursive ${PROJECT_SOURCE_DIR}/gui
          -ts ${PROJECT_SOURCE_DIR}/translations/tandem_zh_CN.ts
  COMMAND Qt6::lupdate -silent -I ${PROJECT_SOURCE_DIR} -locations none -no-obsolete -pluralonly -recursive ${PROJECT_SOURCE_DIR}/gui
          -ts ${PROJECT_SOURCE_DIR}/translations/tandem_en.ts
  COMMENT "Collecting the strings of gui/ into translations/" VERBATIM)
