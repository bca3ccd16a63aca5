#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "gui/app/app_settings.h"
#include "gui/app/engine_controller.h"
#include "gui/models/library_table_model.h"
#include "gui/models/model_library.h"
#include "gui/models/model_scan.h"
#include "gui/models/models_page.h"
#include "gui/widgets/banner.h"
#include "tests/gui/support/fake_engine.h"

namespace tandem::gui {
namespace {

const QString kDemo = QStringLiteral(TANDEM_RESOURCES "/demo-model/tandem-demo-Q8_0.gguf");

void write(const QString& path, const QByteArray& bytes = "x") {
  QDir().mkpath(QFileInfo(path).absolutePath());
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(bytes);
}

// Knows names and sizes by the file's name; "bad" ones are damaged.
Result<ModelRecord> fakeInspect(const QString& path) {
  if (path.contains(QLatin1String("bad"))) return Error{ErrorCode::kCorrupt, "tensor 7 ends at 900, the file has 10 bytes"};
  ModelRecord record;
  record.path = path;
  record.name = QFileInfo(path).completeBaseName();
  record.architecture = QStringLiteral("Qwen3");
  record.quantisation = QStringLiteral("Q8_0");
  record.fileBytes = record.name == QLatin1String("small") ? 5 : 1'000'000'000'000;
  record.numParameters = record.fileBytes;
  return record;
}

}  // namespace

class ModelsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> m_dir;
  std::unique_ptr<AppSettings> m_settings;
  QString at(const QString& name) const { return m_dir->path() + QLatin1Char('/') + name; }

 private slots:
  void init() {
    m_dir = std::make_unique<QTemporaryDir>();
    m_settings = std::make_unique<AppSettings>(at(QStringLiteral("tandem.ini")));
  }

  void scanFindsFirstPartsAndFolders() {
    const QString root = at(QStringLiteral("models"));
    for (const char* name : {"a.gguf", "split-00001-of-00003.gguf", "split-00002-of-00003.gguf", "hf/config.json",
                             "hf/model.safetensors", "deep/er/b.GGUF", "notes.txt", ".hidden/c.gguf"}) {
      write(root + QLatin1Char('/') + QLatin1String(name));
    }
    const QStringList found = findModels(root);
    QCOMPARE(found,
             QStringList({root + "/a.gguf", root + "/split-00001-of-00003.gguf", root + "/deep/er/b.GGUF", root + "/hf"}));
    QVERIFY(isModelPath(root + QStringLiteral("/hf")));
    QVERIFY(!isModelPath(root + QStringLiteral("/notes.txt")));
  }

  void inspectReadsTheDemoModel() {
    const auto record = inspectModel(kDemo);
    QVERIFY2(record, record ? "" : record.error().detail.c_str());
    QCOMPARE(record->architecture, QStringLiteral("Qwen3"));
    QCOMPARE(record->quantisation, QStringLiteral("Q8_0"));
    QCOMPARE(record->numParameters, quint64(13'376'896));
    QCOMPARE(record->fileBytes, quint64(14'529'440));
    QCOMPARE(record->maxContext, 1024);
    QVERIFY(record->description);
    QVERIFY(record->metadata.contains({QStringLiteral("general.architecture"), QStringLiteral("qwen3")}));
    quint64 parameters = 0;
    for (const TensorTypeRow& row : record->tensorTypes) parameters += row.numParameters;
    QCOMPARE(parameters, record->numParameters);
    QCOMPARE(record->fitOneSpark.level, ModelFit::Level::Fits);
    QCOMPARE(record->fitOneSpark.maxContext, 1024);
  }

  void damagedFileIsListedWithItsReason() {
    QFile demo(kDemo);
    QVERIFY(demo.open(QIODevice::ReadOnly));
    const QString cut = at(QStringLiteral("cut.gguf"));
    write(cut, demo.read(200'000));
    ModelLibrary library(m_settings.get(), &inspectModel, {});
    library.start();
    library.addPaths({cut});
    QTRY_COMPARE(library.count(), 1);
    QTRY_COMPARE(library.entry(0).state, LibraryEntry::State::Failed);
    QVERIFY(library.entry(0).error->code == ErrorCode::kCorrupt);
    QVERIFY(QString::fromStdString(library.entry(0).error->detail).contains(QLatin1String("cut.gguf")));
  }

  void libraryRemembersWhatWasAddedAndRemoved() {
    write(at(QStringLiteral("m/one.gguf")));
    write(at(QStringLiteral("m/two.gguf")));
    {
      ModelLibrary library(m_settings.get(), &fakeInspect, kDemo);
      library.start();
      QCOMPARE(library.count(), 1);
      QVERIFY(library.entry(0).isDemo);
      library.addPaths({at(QStringLiteral("m"))});
      QTRY_COMPARE(library.count(), 3);
      library.removeEntry(at(QStringLiteral("m/one.gguf")));
      library.removeEntry(kDemo);
      QCOMPARE(library.count(), 1);
    }
    QVERIFY(QFile::exists(at(QStringLiteral("m/one.gguf"))));
    AppSettings reread(m_settings->file());
    ModelLibrary library(&reread, &fakeInspect, kDemo);
    library.start();
    QTRY_VERIFY(library.count() == 1 && !library.isScanning());
    QCOMPARE(library.entry(0).path, at(QStringLiteral("m/two.gguf")));
    // Adding it again brings it back.
    library.addPaths({at(QStringLiteral("m/one.gguf")), kDemo});
    QTRY_COMPARE(library.count(), 3);
  }

  void missingPathIsReportedAndEmptyFolderToo() {
    ModelLibrary library(m_settings.get(), &fakeInspect, {});
    QSignalSpy nothing(&library, &ModelLibrary::nothingFound);
    library.start();
    QCOMPARE(library.addPaths({at(QStringLiteral("absent.gguf"))}), QStringList{at(QStringLiteral("absent.gguf"))});
    QDir().mkpath(at(QStringLiteral("empty")));
    library.addPaths({at(QStringLiteral("empty"))});
    QTRY_COMPARE(nothing.count(), 1);
    QCOMPARE(library.count(), 0);
  }

  void fileThatVanishedLeavesTheListOnRescan() {
    write(at(QStringLiteral("m/one.gguf")));
    ModelLibrary library(m_settings.get(), &fakeInspect, {});
    library.start();
    library.addPaths({at(QStringLiteral("m"))});
    QTRY_COMPARE(library.count(), 1);
    QVERIFY(QFile::remove(at(QStringLiteral("m/one.gguf"))));
    library.rescanAll();
    QTRY_COMPARE(library.count(), 0);
  }

  void tableSortsByValueAndFilters() {
    for (const char* name : {"m/small.gguf", "m/big.gguf", "m/bad.gguf"}) write(at(QLatin1String(name)));
    ModelLibrary library(m_settings.get(), &fakeInspect, {});
    LibraryTableModel model(&library);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    LibrarySortModel sorted;
    sorted.setSourceModel(&model);
    library.start();
    library.addPaths({at(QStringLiteral("m"))});
    QTRY_VERIFY(model.rowCount() == 3 && !library.isScanning());
    auto names = [&sorted] {
      QStringList all;
      for (int row = 0; row < sorted.rowCount(); ++row) all << sorted.index(row, LibraryTableModel::Name).data().toString();
      return all;
    };
    // By bytes, not by text ("5 B" > "931 GiB"); the damaged one, whose size is not known, stays last either way.
    sorted.sort(LibraryTableModel::Size, Qt::AscendingOrder);
    QCOMPARE(names(), QStringList({"small", "big", "bad.gguf"}));
    sorted.sort(LibraryTableModel::Size, Qt::DescendingOrder);
    QCOMPARE(names(), QStringList({"big", "small", "bad.gguf"}));
    sorted.setFilterText(QStringLiteral("QWEN sma"));
    QCOMPARE(names(), QStringList({"small"}));
    sorted.setFilterText(QString());
    const QModelIndex bad = sorted.index(2, LibraryTableModel::Architecture);
    QCOMPARE(bad.data().toString(), QStringLiteral("Damaged"));
    QVERIFY(bad.data(Qt::ToolTipRole).toString().contains(QLatin1String("tensor 7")));
  }

  void badgesSayWhatFits() {
    const auto record = inspectModel(kDemo);
    QVERIFY(record);
    engine::MachineSpec machine = engine::dgx_spark();
    QCOMPARE(evaluateFit(*record->description, machine, 1, true).level, ModelFit::Level::Fits);
    machine.available_bytes = machine.reserve_bytes;  // others hold the rest
    QCOMPARE(evaluateFit(*record->description, machine, 1, true).level, ModelFit::Level::NotNow);
    QCOMPARE(evaluateFit(*record->description, machine, 1, false).level, ModelFit::Level::Fits);
    machine.total_bytes = machine.available_bytes = machine.reserve_bytes + 1;
    QCOMPARE(evaluateFit(*record->description, machine, 1, true).level, ModelFit::Level::DoesNotFit);
  }

  void pageShowsTheChosenModelAndOffersToLoad() {
    write(at(QStringLiteral("m/small.gguf")));
    ModelLibrary library(m_settings.get(), &inspectModel, kDemo);
    EngineController engine(test::fake_loader({}));
    ModelsPage page(&library, &engine, m_settings.get());
    page.retranslate();
    QSignalSpy loads(&page, &ModelsPage::loadRequested);
    library.start();
    QCOMPARE(page.selectedPath(), kDemo);  // the first one is chosen by itself
    QAction* load = page.menuActions().at(3);
    QTRY_VERIFY(load->isEnabled());
    load->trigger();
    QCOMPARE(loads.count(), 1);
    QCOMPARE(loads.first().first().toString(), kDemo);
    // A file that is no model cannot be loaded.
    page.addPaths({at(QStringLiteral("m/small.gguf"))});
    QTRY_COMPARE(page.selectedPath(), at(QStringLiteral("m/small.gguf")));
    QTRY_COMPARE(library.entry(1).state, LibraryEntry::State::Failed);
    QVERIFY(!load->isEnabled());
  }
};

}  // namespace tandem::gui

QTEST_MAIN(tandem::gui::ModelsTest)
#include "models_test.moc"
