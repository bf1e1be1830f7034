-- The competitor: SQLite itself, one pass over each table, every column that a timeline needs.
SELECT count(*), sum(end - start), sum(eventClass), sum(globalTid & 65535), sum(correlationId), sum(nameId)
  FROM CUPTI_ACTIVITY_KIND_RUNTIME;
SELECT count(*), sum(end - start), sum(deviceId), sum(streamId), sum(correlationId), sum(globalPid & 65535),
  sum(demangledName) FROM CUPTI_ACTIVITY_KIND_KERNEL;
SELECT count(*), sum(end - start), sum(deviceId), sum(streamId), sum(correlationId), sum(globalPid & 65535), sum(bytes),
  sum(copyKind), sum(srcKind), sum(dstKind) FROM CUPTI_ACTIVITY_KIND_MEMCPY;
SELECT count(*), sum(end - start), sum(eventType), sum(textId), sum(globalTid & 65535), sum(endGlobalTid),
  sum(domainId) FROM NVTX_EVENTS;
SELECT count(*), sum(end - start), sum(nameId), sum(globalTid & 65535) FROM OSRT_API;
SELECT count(*) * 0, sum(timestamp) * 0, sum(typeId), sum(metricId), sum(value) FROM GPU_METRICS;
SELECT count(*) * 0, sum(id) * 0, sum(length(value)) FROM StringIds;
