-- SPDX-License-Identifier: MIT
-- A pause before each request.
--   -- MILLISECONDS
require("report")

local pause

function init(args)
  pause = tonumber(args[1])
end

function delay()
  return pause
end
