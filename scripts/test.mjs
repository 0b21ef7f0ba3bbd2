// SPDX-License-Identifier: MIT
// `npm test`: sets everything up, then runs every check and every test. All parts run even when one
// fails; the last line counts tests (a check that counts nothing is one).
//   npm test -- server-c e2e     only these parts
import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setUp } from './setup/index.mjs'
import { root, toolsDir } from './setup/paths.mjs'
import { Problem } from './setup/problem.mjs'
import { runMain } from './setup/run-main.mjs'
import { seconds } from './setup/steps.mjs'
import { countTests } from './testing/count-tests.mjs'
import { fellByAccident, whyFell } from './testing/fell.mjs'
import { longFiles } from './testing/file-times.mjs'
import { runInLanes } from './testing/lanes.mjs'
import { Patience } from './testing/patience.mjs'
import { processorSeconds } from './testing/processor-seconds.mjs'
import { withFileTimes } from './testing/with-file-times.mjs'

/**
 * @typedef {object} Check
 * @property {string} part what the command line selects by
 * @property {string} title
 * @property {string[]} command
 * @property {string} [cwd] from the root
 * @property {(files: string[]) => string[]} [again] the command for these test files of it alone
 * @property {import('./testing/lanes.mjs').Load} load what it leaves of the machine
 * @property {string} [after] the title of what must have ended before
 * @property {boolean} [isFull] it uses all of the machine by itself
 * @typedef {import('./testing/count-tests.mjs').Count} Count
 * @typedef {import('./setup/node-toolchain.mjs').Toolchain} Toolchain
 */

const logDir = join(toolsDir, 'test-logs')
const SHOWN_LINES = process.env.CI ? 400 : 80

/** @param {string} dir from the root @param {RegExp} pattern @returns {string[]} */
function filesIn(dir, pattern) {
  return readdirSync(join(root, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = `${dir}/${entry.name}`
    if (entry.isDirectory()) return filesIn(path, pattern)
    return pattern.test(entry.name) ? [path] : []
  })
}

/** @param {Toolchain} tools @returns {Check[]} */
function checks({ node }) {
  /** @param {string} name @param {string} script */
  const tool = (name, script) => [node, join(root, 'node_modules', name, script)]
  const tsc = tool('typescript', 'bin/tsc')
  const vitest = [...tool('vitest', 'vitest.mjs'), 'run']
  const playwright = [...tool('@playwright/test', 'cli.js'), 'test']
  const nodeTest = [node, '--test', ...withFileTimes]
  /** @param {string[]} command @returns {(files: string[]) => string[]} */
  const onlyFiles = (command) => (files) => [...command, ...files]
  const c = ['server-c/src', 'server-c/test', 'server-c/bench'].flatMap((dir) =>
    filesIn(dir, /\.[ch]$/),
  )
  const [, cruiser = ''] = tool('dependency-cruiser', 'bin/dependency-cruiser.mjs')
  const rules = ['--config', 'scripts/rooms/rules.mjs', '--output-type', 'err']
  const library = ['--import', './scripts/rooms/typescript-5.mjs']
  const rooms = [...library, cruiser, ...rules, 'control-api/src']
  /** @param {string} preset */
  const buildTitle = (preset) => `server-c build, ${preset}`
  /** @param {string} preset @returns {Check} */
  const cBuild = (preset) => ({
    part: 'server-c',
    title: buildTitle(preset),
    command: [node, 'test/run.mjs', '--preset', preset, '--build'],
    cwd: 'server-c',
    load: 'patient',
  })
  /** @param {string} preset @param {import('./testing/lanes.mjs').Load} load @param {string[]} more @returns {Check} */
  const cTests = (preset, load, ...more) => {
    const command = [node, 'test/run.mjs', '--preset', preset, ...more]
    const title = `server-c tests, ${preset}`
    const after = buildTitle(preset)
    return {
      part: 'server-c',
      title,
      command,
      again: onlyFiles(command),
      cwd: 'server-c',
      after,
      load,
      isFull: load === 'heavy',
    }
  }
  /** @param {string} title @param {string[]} command @returns {Check} */
  const lint = (title, command) => ({ part: 'lint', title, command, load: 'patient' })
  return [
    // They wait for a browser, and for farms that wait themselves: half of the machine is for what is patient.
    {
      part: 'e2e',
      title: 'e2e tests',
      command: playwright,
      again: onlyFiles([...playwright, '--trace', 'retain-on-failure']),
      cwd: 'e2e',
      load: 'heavy',
    },
    {
      part: 'control-api',
      title: 'control-api tests',
      command: [...vitest, '--exclude', 'test/farmctl/**'],
      again: onlyFiles(vitest),
      cwd: 'control-api',
      load: 'heavy',
      isFull: true,
    },
    {
      part: 'postgres',
      title: 'control-api tests on PostgreSQL',
      command: [node, 'test/on-postgres.ts'],
      again: onlyFiles([node, 'test/on-postgres.ts']),
      cwd: 'control-api',
      load: 'heavy',
      isFull: true,
    },
    // Five files at a time already, and many of their tests are about time: nothing begins beside these.
    cTests('asan', 'heavy'),
    cTests('tsan', 'heavy'),
    // The long ones first, so that none is left alone at the end.
    {
      part: 'schemathesis',
      title: 'schemathesis against the service',
      command: [node, 'control-api/schemathesis/run.ts'],
      load: 'light',
    },
    {
      part: 'faults',
      title: 'faults in a farm',
      command: [node, 'e2e/faults/run.ts'],
      load: 'light',
    },
    {
      part: 'web-ui',
      title: 'web-ui tests',
      command: vitest,
      again: onlyFiles(vitest),
      cwd: 'web-ui',
      load: 'light',
    },
    {
      part: 'farmctl',
      title: 'farmctl tests',
      command: [...vitest, 'test/farmctl/'],
      again: onlyFiles(vitest),
      cwd: 'control-api',
      load: 'light',
    },
    {
      part: 'rollouts',
      title: 'rollouts to real nodes',
      command: [node, 'e2e/rollouts/run.ts'],
      load: 'light',
    },
    cTests('fuzz', 'light', '--seconds', '1'),
    {
      part: 'bench',
      title: 'bench at a small scale',
      command: [...nodeTest, 'bench/test/*.test.mjs'],
      again: onlyFiles(nodeTest),
      cwd: 'server-c',
      load: 'light',
    },
    {
      part: 'scripts',
      title: 'scripts tests',
      command: [...nodeTest, 'scripts/test/*.test.ts'],
      again: onlyFiles(nodeTest),
      load: 'light',
    },
    // What is wrong with the sources is said first; then what others wait for.
    lint('Biome', [...tool('@biomejs/biome', 'bin/biome'), 'check', '--error-on-warnings']),
    lint('clang-format', ['clang-format', '--dry-run', '--Werror', ...c]),
    lint('order of folders', [node, 'server-c/test/check-includes.mjs']),
    lint('a test for each module', [node, 'server-c/test/check-tested.mjs']),
    lint('licences', [node, 'scripts/check-licences.mjs']),
    lint('no secret in the sources', [node, 'scripts/check-secrets.mjs']),
    ...['control-api', 'web-ui', 'e2e', 'scripts'].map((project) => ({
      part: 'types',
      title: `types of ${project}`,
      command: [...tsc, '-p', project],
      load: /** @type {const} */ ('patient'),
    })),
    ...['asan', 'tsan'].map(cBuild),
    lint('clang-tidy', [node, 'server-c/test/tidy.mjs']),
    cBuild('fuzz'),
    lint('what nobody uses', tool('knip', 'bin/knip.js')),
    lint('rooms of control-api', [node, ...rooms]),
  ]
}

/** Runs its words, and says on descriptor 3, which they do not get, what time of a processor they and all they started took. */
const TIMED = '"$@" 3>&-; code=$?; times >&3; exit $code'

const patience = new Patience()

/**
 * @param {Check} check
 * @param {Toolchain} tools
 * @returns {Promise<{ ok: boolean, output: string, processorSeconds: number }>}
 */
function run({ command, cwd = '.', load }, tools) {
  const env = { ...tools.env, NO_COLOR: '1', FORCE_COLOR: '0' }
  const isPatient = load === 'patient'
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', TIMED, 'sh', ...command], {
      cwd: join(root, cwd),
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: isPatient,
    })
    if (isPatient && child.pid) patience.begin(child.pid)
    let output = ''
    let times = ''
    child.stdio[3]?.on('data', (chunk) => {
      times += chunk
    })
    const take = (/** @type {Buffer} */ chunk) => {
      output += chunk.toString('utf8')
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.on('error', (error) =>
      resolve({ ok: false, output: `${output}\n${error.message}`, processorSeconds: 0 }),
    )
    child.on('close', (code) => {
      if (isPatient) patience.end()
      resolve({ ok: code === 0, output, processorSeconds: processorSeconds(times) })
    })
  })
}

/**
 * @param {Check} check
 * @param {Toolchain} tools
 * @returns {Promise<{ count: Count, fell: string[], output: string }>} with the files that may have fallen by accident
 */
async function report(check, tools) {
  const startedAt = performance.now()
  if (process.stdout.isTTY) process.stdout.write(`  … ${check.title}`)
  const { ok, output, processorSeconds } = await run(check, tools)
  writeFileSync(join(logDir, `${check.title.replace(/\W+/g, '-')}.log`), output)
  const count = countTests(output, ok)
  const erase = process.stdout.isTTY ? '\r\u001b[K' : ''
  const numbers = `${count.passed} passed${count.failed ? `, ${count.failed} failed` : ''}`
  process.stdout.write(
    `${erase}  ${ok ? '✓' : '✗'} ${check.title}: ${numbers}, ${seconds(startedAt)}, ${processorSeconds.toFixed(1)} s of a core\n`,
  )
  for (const file of longFiles(output)) process.stdout.write(`      longer than 10 s: ${file}\n`)
  if (ok) return { count, fell: [], output }
  process.stdout.write(`${output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')}\n\n`)
  return { count, fell: check.again ? fellByAccident(output) : [], output }
}

/**
 * What fell beside others, once more with nothing beside it: docs/decisions/0147. Each file by itself, so that one which
 * is wrong says nothing of those which fell only because the machine was busy.
 * @param {Check} check
 * @param {Count} count
 * @param {string[]} files
 * @param {Toolchain} tools
 * @returns {Promise<Count>}
 */
async function again(check, count, files, tools) {
  if (!check.again || files.length === 0) return count
  const log = join(logDir, `${check.title.replace(/\W+/g, '-')}-again.log`)
  /** @type {string[]} */
  const unsteady = []
  for (const file of files) {
    const { ok, output } = await run({ ...check, command: check.again([file]) }, tools)
    appendFileSync(log, output)
    if (ok && countTests(output, ok).passed > 0) {
      process.stdout.write(`  ! unsteady: ${file} fell, and passed alone\n`)
      unsteady.push(file)
    } else {
      process.stdout.write(`  ✗ ${check.title}: ${file} fell once more, alone\n`)
      process.stdout.write(`${output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')}\n\n`)
    }
  }
  if (unsteady.length < files.length) return { ...count, unsteady }
  return { passed: count.passed + count.failed, failed: 0, unsteady }
}

runMain(async () => {
  const startedAt = performance.now()
  const tools = await setUp('test')
  const wanted = process.argv.slice(2)
  const all = checks(tools)
  const unknown = wanted.find((part) => !all.some((check) => check.part === part))
  if (unknown) {
    const parts = [...new Set(all.map((check) => check.part))].join(', ')
    throw new Problem(`There is no part "${unknown}": choose of ${parts}.`)
  }
  rmSync(logDir, { recursive: true, force: true })
  mkdirSync(logDir, { recursive: true })
  process.stdout.write('Testing (whole output in .tools/test-logs)\n')
  const total = { passed: 0, failed: 0 }
  /** @type {string[]} */
  const failed = []
  /** @type {{ file: string, output: string }[]} */
  const unsteady = []
  const chosen = all.filter(({ part }) => wanted.length === 0 || wanted.includes(part))
  await runInLanes(chosen, {
    run: (check) => report(check, tools),
    waitedFor: (isWaitedFor) => patience.waitedFor(isWaitedFor),
    over: async (check, { count: first, fell, output }) => {
      const count = await again(check, first, fell, tools)
      total.passed += count.passed
      total.failed += count.failed
      if (count.failed > 0) failed.push(check.title)
      unsteady.push(...(count.unsteady ?? []).map((file) => ({ file, output })))
    },
  })
  process.stdout.write(`Tested in ${seconds(startedAt)}\n`)
  for (const { file, output } of unsteady)
    process.stdout.write(`unsteady, to be mended: ${file}\n${whyFell(output, file).join('\n')}\n`)
  if (failed.length > 0) process.stdout.write(`failed: ${failed.join(', ')}\n`)
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`)
  return total.failed ? 1 : 0
})
