// SPDX-License-Identifier: MIT
// Builds a preset and runs every test with it:
//   node test/run.mjs [--preset asan|tsan|release]     unit and system tests; asan if not said
//   node test/run.mjs --preset tsan FILE…              only these system tests
//   node test/run.mjs --preset fuzz [--seconds N]      each fuzz target: its corpus, then N seconds more
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { withFileTimes } from '../../scripts/testing/with-file-times.mjs'
import { targets } from './fuzz/targets.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const folder = resolve(here, '..')
const presets = ['asan', 'tsan', 'release', 'fuzz']

const { values, positionals: only } = parseArgs({
  allowPositionals: true,
  options: {
    preset: { type: 'string', default: 'asan' },
    seconds: { type: 'string', default: '5' },
  },
})
const { preset } = values
const seconds = Number(values.seconds)
if (!presets.includes(preset) || !Number.isInteger(seconds) || seconds < 0) {
  console.error(`usage: node test/run.mjs [--preset ${presets.join('|')}] [--seconds N]`)
  process.exit(2)
}
const build = join(folder, 'build', preset)
const jobs = String(Math.min(availableParallelism(), 8))

/**
 * What one thread does alone: the command line, parsers, a loop's own timers, a process and its parent.
 * ASan has them; there is no race in them for TSan to find, and it takes its time to find none (docs/decisions/0166).
 */
const singleThreaded = [
  '12_sign_url',
  '13_docs',
  '14_media_types',
  '25_conformance',
  '26_http2_conformance',
  '35_bypass',
  '35_clients',
  '39_longest_list', // how long one may be: lists that lanes make while clients take them are in 39_long_listings
  '39_unread_listings', // lists that are given up are in 39_long_listings, too: these are about memory
  '62_agent_turns', // of the agent's one thread: what it shares with loops is in 61_agent_apply, 62_agent_outage and 63
  '64_agent_proxy',
  '65_samples',
  '66_metrics_forms',
  '66_network_stages',
  '67_supervisor',
  '67_supervisor_end',
  '67_supervisor_kills',
  '67_supervisor_tells',
  '68_service_manager',
  '73_farmload',
  '73_farmload_http2',
  '85_small_machine', // whose 96 MiB TSan's own memory does not fit into
  '91_slow_clients',
  '91_slow_readers',
  '98_refusals',
]

/**
 * Where threads are left at the end, TSan lets the process sleep for a second to see what they do. Ours is one, of
 * which nothing is to be seen (process/end_guard.c sleeps, too): of hundreds of nodes that was half of all the time.
 */
const TSAN_OPTIONS = [process.env.TSAN_OPTIONS, 'atexit_sleep_ms=20'].filter(Boolean).join(':')

/** Ends this process with the command's exit code when it fails. */
function run(title, command, args, env = {}) {
  console.log(`\n== server-c (${preset}): ${title}`)
  const { status, signal, error } = spawnSync(command, args, {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, TSAN_OPTIONS, ...env },
  })
  if (error) console.error(`${command}: ${error.message}`)
  if (status !== 0) {
    console.error(`server-c (${preset}): ${title} failed (${signal ?? status})`)
    process.exit(status || 1)
  }
}

/** Each takes a core for its seconds: as many at once as there are. What one says comes whole, when it ends. */
async function fuzz() {
  const left = [...targets]
  const fuzzer = async () => {
    for (let target = left.shift(); target; target = left.shift()) await fuzzOne(target)
  }
  await Promise.all(Array.from({ length: Number(jobs) }, fuzzer))
}

async function fuzzOne({ program, dictionary, corpus }) {
  // What is found goes to a folder of its own: the corpus is changed by hand only.
  const found = mkdtempSync(join(tmpdir(), `${program}-`))
  const child = spawn(
    join(build, program),
    [
      `-max_total_time=${Math.max(seconds, 1)}`,
      `-dict=${dictionary}`,
      `-artifact_prefix=${build}/`,
      '-print_final_stats=0',
      '-verbosity=0',
      found,
      corpus,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  }
  const [status, signal] = await once(child, 'close')
  rmSync(found, { recursive: true })
  console.log(`\n== server-c (${preset}): ${program}\n${said}`)
  if (status !== 0) {
    console.error(`server-c (${preset}): ${program} failed (${signal ?? status})`)
    process.exit(1)
  }
}

/** @param {string[]} files from server-c */
function runSystemTests(files) {
  run(
    'system tests',
    process.execPath,
    // Many of a file's tests run beside each other, and wait for most of their time: with more files at
    // once than these, tests of time wait for a processor.
    ['--test', '--test-concurrency=5', ...withFileTimes, ...files],
    {
      FARMSTEAD_NODE: join(build, 'farmstead-node'),
    },
  )
}

run('order of folders', process.execPath, [join(here, 'check-includes.mjs')])
run('a test for each module', process.execPath, [join(here, 'check-tested.mjs')])
run('configure', 'cmake', ['--preset', preset])
run('build', 'cmake', ['--build', '--preset', preset, '-j', jobs])
if (preset === 'fuzz') {
  await fuzz()
} else if (only.length > 0) {
  runSystemTests(only)
} else {
  run('build the unit tests', 'cmake', [
    '--build',
    '--preset',
    preset,
    '-j',
    jobs,
    '--target',
    'unit_tests',
  ])
  run('unit tests', 'ctest', ['--test-dir', build, '--output-on-failure', '-j', jobs])
  const skipped = preset === 'tsan' ? singleThreaded.map((name) => `${name}.test.mjs`) : []
  const system = readdirSync(join(here, 'system'))
    .filter((file) => file.endsWith('.test.mjs') && !skipped.includes(file))
    .sort()
  runSystemTests(system.map((file) => join('test/system', file)))
}
console.log(`\nserver-c (${preset}): all passed`)
