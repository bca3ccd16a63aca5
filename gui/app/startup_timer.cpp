#include "gui/app/startup_timer.h"

#include <QEvent>
#include <QFile>
#include <QTextStream>
#include <QTimer>
#include <QWidget>
#include <ctime>
#include <optional>
#include <unistd.h>

namespace tandem::gui {
namespace {

// Milliseconds since this process started, after the kernel's own record.
std::optional<double> processAgeMs() {
  QFile file(QStringLiteral("/proc/self/stat"));
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  const QByteArray text = file.readAll();
  // The second field is the program's name in parentheses, which may hold spaces; starttime is the 22nd.
  const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
  if (fields.size() < 20) return std::nullopt;
  timespec now{};
  if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
  const double started = fields[19].toDouble() / double(sysconf(_SC_CLK_TCK));
  return (double(now.tv_sec) + double(now.tv_nsec) * 1e-9 - started) * 1e3;
}

class FirstPaint : public QObject {
 public:
  explicit FirstPaint(QWidget* window) : QObject(window) { window->installEventFilter(this); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Paint && !m_seen) {
      m_seen = true;
      // After the event loop comes round: all widgets of this frame are painted and handed to the display by then.
      QTimer::singleShot(0, this, [this] {
        if (const auto age = processAgeMs()) {
          QTextStream(stderr) << "start to first paint: " << qRound(*age) << " ms" << Qt::endl;
        }
        deleteLater();
      });
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  bool m_seen = false;
};

}  // namespace

void printStartupTime(QWidget* window) {
  new FirstPaint(window);
}

}  // namespace tandem::gui
