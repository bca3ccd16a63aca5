// Finds the models below a folder.
#pragma once

#include <QString>
#include <QStringList>

namespace tandem::gui {

// Whether the library can list this path itself: a .gguf or .safetensors file, or a folder with config.json and safetensors.
bool isModelPath(const QString& path);

// For a worker thread. `root` itself when it is a model; else the models in it and its folders, sorted: the first part of a
// split GGUF stands for all, and folders of safetensors for what is in them. Hidden folders and links to folders are not
// entered; the search stops at `maxDepth` levels and `maxFound` models.
QStringList findModels(const QString& root, int maxDepth = 8, int maxFound = 2000);

}  // namespace tandem::gui
