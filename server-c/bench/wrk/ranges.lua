-- SPDX-License-Identifier: MIT
-- Pieces of LENGTH bytes anywhere in COUNT files of SIZE bytes.
--   -- COUNT SIZE LENGTH
require("report")
require("seed")

local count, size, length, tail

function init(args)
  count, size, length = tonumber(args[1]), tonumber(args[2]), tonumber(args[3])
  tail = wrk.format("GET", "/"):match("^GET / (.*)\r\n\r\n$")
  math.randomseed(seed)
end

function request()
  local from = math.random(0, size - length)
  return string.format("GET /big/%d.bin %s\r\nRange: bytes=%d-%d\r\n\r\n",
    math.random(0, count - 1), tail, from, from + length - 1)
end
