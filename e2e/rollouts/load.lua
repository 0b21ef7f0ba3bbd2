-- SPDX-License-Identifier: MIT
-- wrk's requests, at a pace: wrk … -- DELAY_MS HOST/PATH …      (several are asked in turn)
--                            wrk … -- DELAY_MS HOST/PATH FIRST LAST   (PATH0001.bin and so on, each once)
local wanted = {}
local delay_ms = 0
local turn = 0
local first, last

function init(args)
  delay_ms = tonumber(args[1])
  first, last = tonumber(args[3]), tonumber(args[4])
  for i = 2, (first and 2 or #args) do
    local host, path = args[i]:match("^([^/]+)(/.*)$")
    wanted[#wanted + 1] = { host = host, path = path }
  end
end

function delay()
  return delay_ms
end

function request()
  local one = wanted[turn % #wanted + 1]
  local path = one.path
  if first then path = path .. (first + turn % (last - first + 1)) .. ".bin" end
  turn = turn + 1
  return wrk.format("GET", path, { Host = one.host })
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"refused":%d,"broken":%d,"late":%d}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write, errors.timeout))
end
