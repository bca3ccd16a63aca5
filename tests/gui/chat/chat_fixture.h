// An engine with a script, a history in a folder of its own, and what tests of the Chat page need of them.
#pragma once

#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "gui/app/engine_controller.h"
#include "gui/chat/chat_controller.h"
#include "gui/history/history_store.h"
#include "tests/gui/support/fake_engine.h"

namespace tandem::test {

struct ChatFixture {
  explicit ChatFixture(FakeScript script = {}) : log(std::make_shared<FakeLog>()), engine(fake_loader(std::move(script), log)) {
    store = std::make_unique<gui::HistoryStore>(dir.filePath(QStringLiteral("history.sqlite")));
  }
  // False when one of them did not get ready.
  bool start() {
    engine.loadModel(QStringLiteral("fake.gguf"), {});
    return QTest::qWaitFor([&] { return engine.isReady() && store->state() == gui::HistoryStore::State::Ready; });
  }
  // The conversation as it is on disk.
  gui::ConversationData stored(gui::HistoryId id) {
    std::optional<Result<gui::ConversationData>> loaded;
    QObject context;
    store->loadConversation(id, &context, [&](const auto& data) { loaded = data; });
    if (!QTest::qWaitFor([&] { return loaded.has_value(); }) || !loaded->has_value()) return {};
    return **loaded;
  }
  engine::Request lastRequest() const {
    const std::lock_guard lock(log->mutex);
    return log->requests.back();
  }
  nlohmann::ordered_json lastMessages() const { return std::get<engine::ChatPrompt>(lastRequest().prompt).messages; }

  QTemporaryDir dir;
  std::shared_ptr<FakeLog> log;
  gui::EngineController engine;
  std::unique_ptr<gui::HistoryStore> store;
};

}  // namespace tandem::test
