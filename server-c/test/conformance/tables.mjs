// SPDX-License-Identifier: MIT
import { conditional } from './conditional.mjs'
import { connection } from './connection.mjs'
import { expect } from './expect.mjs'
import { fields } from './fields.mjs'
import { framing } from './framing.mjs'
import { headMethod } from './head_method.mjs'
import { host } from './host.mjs'
import { methods } from './methods.mjs'
import { ranges } from './ranges.mjs'
import { requestLine } from './request_line.mjs'
import { targets } from './targets.mjs'

export const tables = [
  requestLine,
  fields,
  framing,
  host,
  targets,
  methods,
  headMethod,
  conditional,
  ranges,
  connection,
  expect,
]
