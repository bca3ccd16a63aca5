// BandwidthProbe: this machine's memory read bandwidth, measured once when it is asked for, off the GUI thread.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <functional>

namespace tandem::gui {

class BandwidthProbe : public QObject {
  Q_OBJECT
 public:
  // Blocks for as long as it takes and returns bytes per second; 0: could not be measured.
  using Measure = std::function<double()>;

  explicit BandwidthProbe(Measure measure, QObject* parent = nullptr);
  ~BandwidthProbe() override;

  double bytesPerSecond() const { return m_bytesPerSecond; }  // 0: not measured yet
  bool isMeasuring() const { return m_measuring; }

 public slots:
  void measure();

 signals:
  void measuringChanged(bool measuring);
  void measured(double bytesPerSecond);

 private:
  const Measure m_measure;
  QThreadPool m_pool;
  double m_bytesPerSecond = 0.0;
  bool m_measuring = false;
};

}  // namespace tandem::gui
