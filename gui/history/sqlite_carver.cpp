#include "gui/history/sqlite_carver.h"

#include <QString>
#include <bit>
#include <cstdint>
#include <optional>

namespace tandem::gui {
namespace {

constexpr qsizetype kPageBytes = 4096;
constexpr qsizetype kWalHeaderBytes = 32;
constexpr qsizetype kFrameHeaderBytes = 24;
constexpr quint8 kTableLeaf = 0x0d;
constexpr qint64 kMaxPayloadBytes = qint64{256} << 20;

quint8 byteAt(const QByteArray& bytes, qsizetype offset) {
  return static_cast<quint8>(bytes.at(offset));
}

quint32 bigEndian(const QByteArray& bytes, qsizetype offset, int count) {
  quint32 value = 0;
  for (int i = 0; i < count; ++i) value = (value << 8) | byteAt(bytes, offset + i);
  return value;
}

// Moves `offset` behind the varint; nullopt at the end of the bytes.
std::optional<qint64> varint(const QByteArray& bytes, qsizetype& offset) {
  quint64 value = 0;
  for (int i = 0; i < 9; ++i) {
    if (offset >= bytes.size()) return std::nullopt;
    const quint8 byte = byteAt(bytes, offset++);
    if (i == 8) return qint64((value << 8) | byte);
    value = (value << 7) | (byte & 0x7f);
    if ((byte & 0x80) == 0) return qint64(value);
  }
  return std::nullopt;
}

// Length in bytes of a value of this serial type.
qint64 valueBytes(qint64 type) {
  constexpr int kFixed[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < 12 ? kFixed[type] : (type - 12) / 2;
}

QVariant decodeValue(const QByteArray& payload, qsizetype offset, qint64 type) {
  if (type == 0) return {};
  if (type == 8 || type == 9) return QVariant(qint64(type - 8));
  const qint64 length = valueBytes(type);
  if (type >= 12) {
    const QByteArray bytes = payload.mid(offset, length);
    return type % 2 == 1 ? QVariant(QString::fromUtf8(bytes)) : QVariant(bytes);
  }
  quint64 raw = byteAt(payload, offset) & 0x80 ? ~quint64{0} : 0;  // sign
  for (qint64 i = 0; i < length; ++i) raw = (raw << 8) | byteAt(payload, offset + i);
  return type == 7 ? QVariant(std::bit_cast<double>(raw)) : QVariant(qint64(raw));
}

std::optional<QVariantList> decodeRecord(const QByteArray& payload, int maxColumns) {
  qsizetype offset = 0;
  const std::optional<qint64> headerBytes = varint(payload, offset);
  if (!headerBytes || *headerBytes < 2 || *headerBytes > payload.size()) return std::nullopt;
  qint64 body = *headerBytes;
  QVariantList columns;
  while (offset < *headerBytes) {
    const std::optional<qint64> type = varint(payload, offset);
    if (!type || *type < 0 || *type == 10 || *type == 11 || columns.size() >= maxColumns) return std::nullopt;
    const qint64 length = valueBytes(*type);
    if (length > payload.size() - body) return std::nullopt;
    columns += decodeValue(payload, body, *type);
    body += length;
  }
  if (offset != *headerBytes || body != payload.size()) return std::nullopt;
  return columns;
}

// The row's bytes: what stands on its page, then its chain of overflow pages.
std::optional<QByteArray> readPayload(const QByteArray& page, qsizetype offset, qint64 payloadBytes,
                                      const QByteArray& database) {
  constexpr qint64 kUsable = kPageBytes;
  constexpr qint64 kMaxLocal = kUsable - 35;
  constexpr qint64 kMinLocal = (kUsable - 12) * 32 / 255 - 23;
  qint64 local = payloadBytes;
  if (payloadBytes > kMaxLocal) {
    local = kMinLocal + (payloadBytes - kMinLocal) % (kUsable - 4);
    if (local > kMaxLocal) local = kMinLocal;
  }
  if (offset + local > page.size()) return std::nullopt;
  QByteArray payload = page.mid(offset, local);
  if (local == payloadBytes) return payload;

  if (offset + local + 4 > page.size()) return std::nullopt;
  quint32 next = bigEndian(page, offset + local, 4);
  while (payload.size() < payloadBytes) {
    const qint64 start = (qint64(next) - 1) * kPageBytes;
    // The payload grows with each page, so a chain that bites its tail ends too.
    if (next == 0 || start + kPageBytes > database.size()) return std::nullopt;
    payload += database.mid(start + 4, qMin<qint64>(kUsable - 4, payloadBytes - payload.size()));
    next = bigEndian(database, start, 4);
  }
  return payload;
}

void carvePage(const QByteArray& page, qsizetype headerOffset, const QByteArray& database, int maxColumns,
               const CarvedRowSink& sink) {
  if (byteAt(page, headerOffset) != kTableLeaf) return;
  const quint32 numCells = bigEndian(page, headerOffset + 3, 2);
  for (quint32 i = 0; i < numCells; ++i) {
    const qsizetype pointer = headerOffset + 8 + 2 * qsizetype(i);
    if (pointer + 2 > page.size()) return;
    qsizetype offset = bigEndian(page, pointer, 2);
    if (offset < headerOffset + 8 || offset >= page.size()) continue;
    const std::optional<qint64> payloadBytes = varint(page, offset);
    const std::optional<qint64> rowId = varint(page, offset);
    if (!payloadBytes || !rowId || *payloadBytes < 2 || *payloadBytes > kMaxPayloadBytes) continue;
    const std::optional<QByteArray> payload = readPayload(page, offset, *payloadBytes, database);
    if (!payload) continue;
    if (const std::optional<QVariantList> columns = decodeRecord(*payload, maxColumns)) sink(*rowId, *columns);
  }
}

}  // namespace

void carveDatabase(const QByteArray& database, int maxColumns, const CarvedRowSink& sink) {
  for (qsizetype start = 0; start + kPageBytes <= database.size(); start += kPageBytes) {
    carvePage(database.mid(start, kPageBytes), start == 0 ? 100 : 0, database, maxColumns, sink);
  }
}

void carveWal(const QByteArray& wal, const QByteArray& database, int maxColumns, const CarvedRowSink& sink) {
  // Overflow pages may themselves be in the log: lay the frames over the database first.
  QByteArray current = database;
  constexpr qsizetype kFrameBytes = kFrameHeaderBytes + kPageBytes;
  // A page number beyond what both files could hold is damage, and must not make us allocate for it.
  const qint64 maxPages = (database.size() + wal.size()) / kPageBytes + 1;
  for (qsizetype start = kWalHeaderBytes; start + kFrameBytes <= wal.size(); start += kFrameBytes) {
    const qint64 number = bigEndian(wal, start, 4);
    if (number == 0 || number > maxPages) continue;
    if (current.size() < number * kPageBytes) current.append(number * kPageBytes - current.size(), '\0');
    current.replace((number - 1) * kPageBytes, kPageBytes, wal.mid(start + kFrameHeaderBytes, kPageBytes));
  }
  for (qsizetype start = kWalHeaderBytes; start + kFrameBytes <= wal.size(); start += kFrameBytes) {
    const bool isFirst = bigEndian(wal, start, 4) == 1;
    carvePage(wal.mid(start + kFrameHeaderBytes, kPageBytes), isFirst ? 100 : 0, current, maxColumns, sink);
  }
}

}  // namespace tandem::gui
