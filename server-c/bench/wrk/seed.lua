-- SPDX-License-Identifier: MIT
-- A seed that is always the same, and another one for each of wrk's threads.
local threads = 0

function setup(thread)
  threads = threads + 1
  thread:set("seed", 20050312 + threads)
end
