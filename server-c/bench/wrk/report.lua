-- SPDX-License-Identifier: MIT
-- What wrk found out, as one line of JSON: bench.mjs reads it. Every load has it.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\nbench-json {"requests":%d,"bytes":%.0f,"microseconds":%.0f,' ..
    '"p50":%.0f,"p99":%.0f,"max":%.0f,' ..
    '"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}\n',
    summary.requests, summary.bytes, summary.duration,
    latency:percentile(50), latency:percentile(99), latency.max,
    errors.connect, errors.read, errors.write, errors.status, errors.timeout))
end
