// ModelLibrary: the models that the user has added, and what is known of each. Disk is read on its own thread.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "gui/models/model_record.h"

namespace tandem::gui {

class AppSettings;

struct LibraryEntry {
  enum class State { Scanning, Known, Failed };
  QString path;
  QString root;  // what the user added: the path itself or a folder above it
  State state = State::Scanning;
  std::shared_ptr<const ModelRecord> record;  // in Known
  std::optional<Error> error;                 // in Failed
  ModelFit fitHere;                           // this machine, now
  bool isDemo = false;
  QString displayName() const;  // the record's, or the file's while that is not known
};

// GUI thread only.
class ModelLibrary : public QObject {
  Q_OBJECT
 public:
  using Inspector = std::function<Result<ModelRecord>(const QString& path)>;

  // `demoPath`: the shipped demo model, listed unless the user has removed it; empty: none.
  ModelLibrary(AppSettings* settings, Inspector inspector, QString demoPath, QObject* parent = nullptr);
  ~ModelLibrary() override;  // waits for a scan under way

  // Reads the stored list and starts scanning. Call once.
  void start();

  int count() const { return int(m_entries.size()); }
  const LibraryEntry& entry(int index) const { return m_entries[index]; }
  int indexOf(const QString& path) const;  // -1: not listed
  const QStringList& roots() const { return m_roots; }
  const QString& demoPath() const { return m_demoPath; }
  bool isScanning() const { return m_numPending > 0; }

  // Files and folders; what is listed already is read again. Returns those that do not exist.
  QStringList addPaths(const QStringList& paths);
  // Takes the model off the list; files are never touched.
  void removeEntry(const QString& path);
  void removeRoot(const QString& root);
  void rescan(const QString& path);
  void rescanAll();
  // Judges "fits this machine" anew for all models.
  void refreshFits();

 signals:
  void entryAboutToBeInserted(int index);
  void entryInserted(int index);
  void entryAboutToBeRemoved(int index);
  void entryRemoved(int index);
  void entryChanged(int index);
  void rootsChanged();
  void scanningChanged(bool scanning);
  // A folder was searched and holds no model.
  void nothingFound(const QString& root);

 private:
  void scanRoot(const QString& root);
  void finishRoot(const QString& root, const QStringList& paths);
  void inspect(const QString& path);
  void finishInspection(const QString& path, Result<ModelRecord> result);
  void insertEntry(const QString& path, const QString& root);
  void removeAt(int index);
  void post(std::function<void()> task);
  void save();

  AppSettings* const m_settings;
  const Inspector m_inspector;
  const QString m_demoPath;
  QStringList m_roots;
  QStringList m_hidden;  // models that were removed, though their folder is still listed
  QList<LibraryEntry> m_entries;
  int m_numPending = 0;
  QThreadPool m_pool;  // one thread: a disk is fastest when read by one
};

}  // namespace tandem::gui
