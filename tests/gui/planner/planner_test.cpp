#include <QComboBox>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include "gui/app/app_settings.h"
#include "gui/models/model_library.h"
#include "gui/planner/bandwidth_probe.h"
#include "gui/planner/load_dialog.h"
#include "gui/planner/plan_models.h"
#include "gui/planner/plan_page.h"
#include "gui/planner/plan_text.h"
#include "gui/planner/plan_view.h"
#include "gui/widgets/stacked_bar.h"

namespace tandem::gui {
namespace {

constexpr quint64 kGiB = quint64(1) << 30;
const QString kDemo = QStringLiteral(TANDEM_RESOURCES "/demo-model/tandem-demo-Q8_0.gguf");

engine::MachineSpec machineOf(quint64 bytes) {
  engine::MachineSpec machine;
  machine.name = "test machine";
  machine.total_bytes = machine.available_bytes = bytes;
  machine.reserve_bytes = 64 << 20;
  return machine;
}

// A model of 8 billion weights that is only described.
std::shared_ptr<const engine::ModelDescription> largeModel() {
  auto model = std::make_shared<engine::ModelDescription>();
  model->name = "Large";
  model->architecture = "Llama 3";
  model->config.architecture = "llama";
  model->config.vocab_size = 128'256;
  model->config.hidden_size = 4096;
  model->config.num_layers = 32;
  model->config.num_heads = 32;
  model->config.num_kv_heads = 8;
  model->config.head_dim = 128;
  model->config.intermediate_size = 14'336;
  model->config.max_context = 131'072;
  model->weights.push_back({"all", kernels::DType::kBF16, {8'000'000'000}, 16'000'000'000});
  return model;
}

}  // namespace

class PlannerTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> m_dir;
  std::unique_ptr<AppSettings> m_settings;
  std::unique_ptr<ModelLibrary> m_library;
  std::unique_ptr<PlanModels> m_models;
  std::unique_ptr<BandwidthProbe> m_probe;

 private slots:
  void init() {
    m_dir = std::make_unique<QTemporaryDir>();
    m_settings = std::make_unique<AppSettings>(m_dir->filePath(QStringLiteral("tandem.ini")));
    m_library = std::make_unique<ModelLibrary>(m_settings.get(), &inspectModel, QString());
    m_models = std::make_unique<PlanModels>(m_library.get());
    m_probe = std::make_unique<BandwidthProbe>([] { return 20e9; });
    m_models->setCatalogue(
        {{QStringLiteral("catalogue:large"), QStringLiteral("Large, BF16"), PlanModel::Source::Catalogue, largeModel()}});
  }
  void cleanup() {
    m_models.reset();
    m_library.reset();
    m_probe.reset();
  }

  void pageShowsThePlannersNumbers() {
    PlanPage page(m_models.get(), m_probe.get(), [] { return Result<engine::MachineSpec>(machineOf(64 * kGiB)); });
    page.retranslate();
    page.setMachine(PlanPage::Machine::OneSpark);
    engine::PlanRequest request;
    request.context_tokens = 8192;
    const auto expected = engine::make_plan(*largeModel(), engine::dgx_spark(), request);
    QVERIFY(expected);
    QVERIFY(page.plan());
    QCOMPARE(page.plan()->nodes.size(), std::size_t(1));
    QCOMPARE(page.plan()->nodes[0].total_bytes(), expected->nodes[0].total_bytes());
    QCOMPARE(page.plan()->max_context, expected->max_context);
    // KV cache of Llama 3 8B: 32 layers × 2 × 8 heads × 128 × 2 bytes.
    QCOMPARE(page.plan()->kv_bytes_per_token, std::uint64_t(131'072));
    QCOMPARE(page.plan()->nodes[0].bytes(engine::PlanItem::Kind::kKvCache), std::uint64_t(131'072) * 8192);
    const auto bars = page.findChildren<StackedBar*>();
    QCOMPARE(bars.size(), 1);
    quint64 drawn = 0;
    for (const auto& segment : bars[0]->segments()) drawn += segment.value;
    QCOMPARE(drawn, expected->nodes[0].total_bytes());

    page.setMachine(PlanPage::Machine::TwoSparks);
    QCOMPARE(page.plan()->nodes.size(), std::size_t(2));
    QCOMPARE(page.findChildren<StackedBar*>().size(), 2);
  }

  void themeChangeDeletesNothingWhileQtWalksTheWidgets() {
    PlanView view;
    const auto plan = engine::make_plan(*largeModel(), engine::dgx_spark(), engine::PlanRequest{});
    QVERIFY(plan);
    view.setPlan(*plan, {QStringLiteral("One Spark")});
    const QPointer<StackedBar> bar = view.findChild<StackedBar*>();
    QVERIFY(bar);
    QPalette other = view.palette();
    other.setColor(QPalette::Window, Qt::darkGreen);
    view.setPalette(other);
    QVERIFY(bar);       // a walk over the children is going on when the change arrives
    QTRY_VERIFY(!bar);  // drawn anew in the new colours, later
    QVERIFY(view.findChild<StackedBar*>());
  }

  void nearestFitIsAppliedWithOneClick() {
    PlanPage page(m_models.get(), m_probe.get(), [] { return Result<engine::MachineSpec>(machineOf(20 * kGiB)); });
    page.retranslate();
    page.setMachine(PlanPage::Machine::This);
    page.findChildren<QSpinBox*>().at(0)->setValue(131'072);
    QVERIFY(page.plan());
    QVERIFY(!page.plan()->fits);
    QVERIFY(page.plan()->nearest_fit);
    QPushButton* apply = nullptr;
    for (QPushButton* button : page.findChildren<QPushButton*>()) {
      if (button->text().startsWith(QLatin1String("Use "))) apply = button;
    }
    QVERIFY(apply);
    QVERIFY(apply->isVisibleTo(&page));
    apply->click();
    QVERIFY(page.plan()->fits);
    QVERIFY(!apply->isVisibleTo(&page));
  }

  void speedLimitOfThisMachineAppearsOnceMeasured() {
    PlanPage page(m_models.get(), m_probe.get(), [] { return Result<engine::MachineSpec>(machineOf(64 * kGiB)); });
    page.retranslate();
    page.setMachine(PlanPage::Machine::This);
    QCOMPARE(page.plan()->decode_tokens_per_s_limit, 0.0);
    m_probe->measure();
    QVERIFY(m_probe->isMeasuring());
    QTRY_COMPARE(m_probe->bytesPerSecond(), 20e9);
    QVERIFY(page.plan()->decode_tokens_per_s_limit_empty > 1.0);
    QVERIFY(page.plan()->decode_tokens_per_s_limit_empty < 1.3);  // 20 GB/s over 16 GB
  }

  void libraryModelsAppearBeforeTheCatalogue() {
    QSignalSpy changed(m_models.get(), &PlanModels::modelsChanged);
    m_library->start();
    m_library->addPaths({kDemo});
    QTRY_COMPARE(m_models->models().size(), 2);
    QVERIFY(changed.count() >= 1);
    QCOMPARE(m_models->models()[0].id, kDemo);
    QVERIFY(m_models->find(QStringLiteral("catalogue:large")));
    QVERIFY(!m_models->find(QStringLiteral("other")));
  }

  void loadDialogRefusesWhatDoesNotFitAndOffersWhatDoes() {
    auto record = std::make_shared<ModelRecord>();
    record->name = QStringLiteral("Large");
    record->maxContext = 131'072;
    record->description = largeModel();
    ModelLoadSettings wanted;
    wanted.contextTokens = 131'072;
    wanted.concurrency = 4;
    wanted.threads = 3;
    LoadDialog dialog(record, machineOf(20 * kGiB), wanted);
    QVERIFY(!dialog.fits());
    QCOMPARE(dialog.settings(), wanted);
    QPushButton* nearest = nullptr;
    for (QPushButton* button : dialog.findChildren<QPushButton*>()) {
      if (button->text().startsWith(QLatin1String("Use "))) nearest = button;
    }
    QVERIFY(nearest);
    nearest->click();
    QVERIFY(dialog.fits());
    QCOMPARE(dialog.settings().threads, 3);
    QVERIFY(dialog.settings() != wanted);
  }

  void loadDialogOffersNoSecondMachine() {
    auto record = std::make_shared<ModelRecord>();
    record->name = QStringLiteral("Large");
    record->maxContext = 131'072;
    record->description = largeModel();
    LoadDialog dialog(record, machineOf(10 * kGiB), {});
    QVERIFY(!dialog.fits());
    QVERIFY(dialog.plan());
    QVERIFY(!dialog.plan()->nearest_fit);
  }

  void formulasKeepTheirNumbers() {
    QCOMPARE(planFormula("32 layers × 2 × 8 heads × 128 × 2 B × 8192 tokens × 1"),
             QStringLiteral("32 layers × 2 × 8 heads × 128 × 2 B × 8192 tokens × 1"));
    QCOMPARE(planFormula("Q8_0 14529440 B in 58 tensors"), QStringLiteral("Q8_0 14,529,440 B in 58 tensors"));
  }
};

}  // namespace tandem::gui

QTEST_MAIN(tandem::gui::PlannerTest)
#include "planner_test.moc"
