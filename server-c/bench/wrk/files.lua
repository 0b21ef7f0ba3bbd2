-- SPDX-License-Identifier: MIT
-- Any of COUNT files as likely as any other.
--   -- FOLDER COUNT PER_FOLDER
require("report")
require("seed")

local folder, count, per_folder, tail

function init(args)
  folder, count, per_folder = args[1], tonumber(args[2]), tonumber(args[3])
  tail = wrk.format("GET", "/"):match("^GET / (.*)$")
  math.randomseed(seed)
end

function request()
  local n = math.random(0, count - 1)
  local inner = math.floor(n / per_folder)
  return string.format("GET /%s/%03d/%06d.html %s", folder, inner, n, tail)
end
