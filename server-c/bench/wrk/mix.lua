-- SPDX-License-Identifier: MIT
-- COUNT files by popularity: the one of rank n is asked for n times less often than the first
-- (Zipf). A long draw is made beforehand, so that choosing costs wrk nothing.
--   -- COUNT
require("report")
require("seed")

local DRAWS = 20000
local requests = {}
local next_one = 0

function init(args)
  local count = tonumber(args[1])
  local files, until_rank, total = {}, {}, 0
  for rank = 1, count do
    files[rank] = wrk.format("GET", string.format("/mix/%03d.html", rank - 1))
    total = total + 1 / rank
    until_rank[rank] = total
  end
  math.randomseed(seed)
  for i = 1, DRAWS do
    local at, rank = math.random() * total, 1
    while until_rank[rank] < at do rank = rank + 1 end
    requests[i] = files[rank]
  end
end

function request()
  next_one = next_one % DRAWS + 1
  return requests[next_one]
end
