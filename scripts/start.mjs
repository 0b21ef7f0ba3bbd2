// SPDX-License-Identifier: MIT
// `npm start`: sets everything up, then runs the farm under Node 24. Runs on any Node ≥ 18.
import { setUp } from './setup/index.mjs'
import { runMain } from './setup/run-main.mjs'
import { runScript } from './setup/run-script.mjs'

runMain(async () => {
  const tools = await setUp('build')
  return runScript(tools, 'scripts/farm/main.ts', process.argv.slice(2))
})
