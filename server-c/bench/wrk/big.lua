-- SPDX-License-Identifier: MIT
-- COUNT large files in turn.
--   -- COUNT
require("report")

local requests = {}
local next_one = 0

function init(args)
  for i = 1, tonumber(args[1]) do
    requests[i] = wrk.format("GET", string.format("/big/%d.bin", i - 1))
  end
end

function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end
