#include "gui/models/model_library.h"

#include <QDir>
#include <QFileInfo>
#include <QMetaObject>

#include "gui/app/app_settings.h"
#include "gui/models/model_scan.h"

namespace tandem::gui {
namespace {

QString normalised(const QString& path) {
  const QFileInfo info(path);
  return QDir::cleanPath(info.absoluteFilePath());
}

ModelFit fitOnThisMachine(const ModelRecord& record) {
  const auto machine = engine::this_machine();
  if (!record.description || !machine) return {};
  return evaluateFit(*record.description, *machine, 1, true);
}

}  // namespace

QString LibraryEntry::displayName() const {
  return record ? record->name : QFileInfo(path).fileName();
}

ModelLibrary::ModelLibrary(AppSettings* settings, Inspector inspector, QString demoPath, QObject* parent)
    : QObject(parent), m_settings(settings), m_inspector(std::move(inspector)), m_demoPath(std::move(demoPath)) {
  m_pool.setMaxThreadCount(1);
}

ModelLibrary::~ModelLibrary() {
  m_pool.clear();
  m_pool.waitForDone();
}

void ModelLibrary::start() {
  m_hidden = m_settings->hiddenModels();
  m_roots = m_settings->modelPaths();
  if (!m_demoPath.isEmpty() && !m_hidden.contains(m_demoPath)) insertEntry(m_demoPath, m_demoPath);
  for (const QString& root : m_roots) scanRoot(root);
  if (!m_roots.isEmpty()) emit rootsChanged();
}

int ModelLibrary::indexOf(const QString& path) const {
  for (int i = 0; i < m_entries.size(); ++i) {
    if (m_entries[i].path == path) return i;
  }
  return -1;
}

QStringList ModelLibrary::addPaths(const QStringList& paths) {
  QStringList missing;
  for (const QString& given : paths) {
    const QString path = normalised(given);
    if (!QFileInfo::exists(path)) {
      missing << given;
      continue;
    }
    for (qsizetype i = m_hidden.size() - 1; i >= 0; --i) {
      if (m_hidden[i] == path || m_hidden[i].startsWith(path + QLatin1Char('/'))) m_hidden.removeAt(i);
    }
    if (path == m_demoPath) {
      if (indexOf(path) < 0) insertEntry(path, path);
      continue;
    }
    if (!m_roots.contains(path)) m_roots << path;
    scanRoot(path);
  }
  save();
  emit rootsChanged();
  return missing;
}

void ModelLibrary::removeEntry(const QString& path) {
  const int index = indexOf(path);
  if (index < 0) return;
  if (!m_roots.removeOne(path)) m_hidden << path;
  removeAt(index);
  save();
  emit rootsChanged();
}

void ModelLibrary::removeRoot(const QString& root) {
  if (!m_roots.removeOne(root)) return;
  for (int i = count() - 1; i >= 0; --i) {
    if (m_entries[i].root == root) removeAt(i);
  }
  for (qsizetype i = m_hidden.size() - 1; i >= 0; --i) {
    if (m_hidden[i].startsWith(root + QLatin1Char('/'))) m_hidden.removeAt(i);
  }
  save();
  emit rootsChanged();
}

void ModelLibrary::rescan(const QString& path) {
  const int index = indexOf(path);
  if (index < 0) return;
  m_entries[index].state = LibraryEntry::State::Scanning;
  emit entryChanged(index);
  inspect(path);
}

void ModelLibrary::rescanAll() {
  for (const QString& root : m_roots) scanRoot(root);
  if (indexOf(m_demoPath) >= 0) rescan(m_demoPath);
}

void ModelLibrary::refreshFits() {
  for (int i = 0; i < count(); ++i) {
    const auto record = m_entries[i].record;
    if (!record) continue;
    m_pool.start([this, record] {
      const ModelFit fit = fitOnThisMachine(*record);
      QMetaObject::invokeMethod(
          this,
          [this, record, fit] {
            const int index = indexOf(record->path);
            if (index < 0 || m_entries[index].record != record || m_entries[index].fitHere == fit) return;
            m_entries[index].fitHere = fit;
            emit entryChanged(index);
          },
          Qt::QueuedConnection);
    });
  }
}

// The pool is drained in the destructor, so `this` outlives every task; queued calls die with it.
void ModelLibrary::post(std::function<void()> task) {
  if (++m_numPending == 1) emit scanningChanged(true);
  m_pool.start([this, task = std::move(task)] {
    task();
    QMetaObject::invokeMethod(
        this,
        [this] {
          if (--m_numPending == 0) emit scanningChanged(false);
        },
        Qt::QueuedConnection);
  });
}

void ModelLibrary::scanRoot(const QString& root) {
  post([this, root] {
    const QStringList paths = findModels(root);
    QMetaObject::invokeMethod(
        this, [this, root, paths] { finishRoot(root, paths); }, Qt::QueuedConnection);
  });
}

void ModelLibrary::finishRoot(const QString& root, const QStringList& paths) {
  if (!m_roots.contains(root)) return;  // removed meanwhile
  for (int i = count() - 1; i >= 0; --i) {
    if (m_entries[i].root == root && !paths.contains(m_entries[i].path)) removeAt(i);  // its file has gone
  }
  for (const QString& path : paths) {
    if (m_hidden.contains(path)) continue;
    if (indexOf(path) < 0) {
      insertEntry(path, root);
    } else {
      rescan(path);
    }
  }
  if (paths.isEmpty()) emit nothingFound(root);
}

void ModelLibrary::insertEntry(const QString& path, const QString& root) {
  LibraryEntry entry;
  entry.path = path;
  entry.root = root;
  entry.isDemo = path == m_demoPath;
  const int index = count();
  emit entryAboutToBeInserted(index);
  m_entries.append(std::move(entry));
  emit entryInserted(index);
  inspect(path);
}

void ModelLibrary::removeAt(int index) {
  emit entryAboutToBeRemoved(index);
  m_entries.removeAt(index);
  emit entryRemoved(index);
}

void ModelLibrary::inspect(const QString& path) {
  post([this, path, inspector = m_inspector] {
    auto result = inspector(path);
    const ModelFit fit = result ? fitOnThisMachine(*result) : ModelFit{};
    QMetaObject::invokeMethod(
        this,
        [this, path, result = std::move(result), fit]() mutable {
          const int index = indexOf(path);
          if (index < 0) return;
          m_entries[index].fitHere = fit;
          finishInspection(path, std::move(result));
        },
        Qt::QueuedConnection);
  });
}

void ModelLibrary::finishInspection(const QString& path, Result<ModelRecord> result) {
  const int index = indexOf(path);
  LibraryEntry& entry = m_entries[index];
  if (result) {
    entry.state = LibraryEntry::State::Known;
    entry.record = std::make_shared<const ModelRecord>(std::move(*result));
    entry.error.reset();
  } else {
    entry.state = LibraryEntry::State::Failed;
    entry.record.reset();
    entry.error = result.error();
  }
  emit entryChanged(index);
}

void ModelLibrary::save() {
  m_settings->setModelPaths(m_roots);
  m_settings->setHiddenModels(m_hidden);
  m_settings->save();
}

}  // namespace tandem::gui
