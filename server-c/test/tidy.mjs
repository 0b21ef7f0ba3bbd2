// SPDX-License-Identifier: MIT
// clang-tidy of all sources but those that it has found right before. What it goes by is the source, all that it
// includes, its command, the checks and the program; a source of which none of these has changed is not checked again.
// That is kept in .tools/clang-tidy, an empty file for each; a month after its last use it goes.
//   node test/tidy.mjs [--build FOLDER] [--kept FOLDER] [--all] [FILE…]
//     --build   where compile_commands.json is
//     --all     right before or not
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'

const execute = promisify(execFile)
const folder = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const root = dirname(folder)
const KEPT_MS = 30 * 24 * 3600 * 1000
const MOST_OUTPUT = 64 << 20

/**
 * States of a function that the analyzer looks at, of 225,000 by default. It goes where it has not been first, so the
 * rest are ever longer ways through the same lines: a few functions with many loops took two thirds of all the time.
 */
const MOST_STATES = 25_000
const LESS_DEEP = ['-analyzer-config', `max-nodes=${MOST_STATES}`].flatMap((word) => [
  '--extra-arg=-Xclang',
  `--extra-arg=${word}`,
])

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    build: { type: 'string', default: join(folder, 'build/release') },
    kept: { type: 'string', default: join(root, '.tools/clang-tidy') },
    all: { type: 'boolean', default: false },
  },
})
const build = resolve(values.build)
const COMMANDS = join(build, 'compile_commands.json')
const kept = resolve(values.kept)

/** @returns {Map<string, { command: string, directory: string }>} by file */
function readCommands() {
  const commands = JSON.parse(readFileSync(COMMANDS, 'utf8'))
  return new Map(commands.map((one) => [one.file, one]))
}

/** The large ones first, so that none is left alone at the end. */
const sources = () =>
  readdirSync(join(folder, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.c'))
    .map((name) => join(folder, 'src', name))
    .map((path) => ({ path, bytes: statSync(path).size }))
    .sort((one, other) => other.bytes - one.bytes || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path)

/** As cc1's line markers name them: all but the system's, and what has no file. */
const ownFiles = (preprocessed, directory) => [
  ...new Set(
    [...preprocessed.matchAll(/^# \d+ "([^"<]+)"((?: \d)*)$/gm)]
      .filter(([, , flags]) => !flags.includes('3'))
      .map(([, name]) => resolve(directory, name)),
  ),
]

/** What the preprocessor makes of it, and which files of ours that is of. */
async function preprocessed(file, { command, directory }) {
  // With comments (NOLINT is one), macros and the names of what is included.
  const preprocess = command
    .replace(/^\S+/, 'clang -D__clang_analyzer__=1')
    .replace(/ -o \S+ -c /, ' -w -Qunused-arguments -E -CC -dD -dI -o - ')
  if (!preprocess.includes(' -E '))
    throw new Error(
      `${relative(root, file)}: its command in ${COMMANDS} is not "cc … -o FILE -c FILE", so what it includes can't be found out (mend preprocessed() in test/tidy.mjs): ${command}`,
    )
  const { stdout } = await execute('sh', ['-c', preprocess], {
    cwd: directory,
    maxBuffer: MOST_OUTPUT,
  })
  return { text: stdout, own: [file, ...ownFiles(stdout, directory)] }
}

/** What clang-tidy goes by, as a name; the same in each folder that the sources are in. */
function keyOf({ command }, checker, { text, own }) {
  const hash = createHash('sha256')
  // Whole: what the preprocessor leaves out, as a NOLINTBEGIN in an #ifdef, clang-tidy reads.
  const whole = own.map((name) => readFileSync(name, 'utf8'))
  for (const part of [checker, command, ...whole, text])
    hash.update(`${part.replaceAll(root, '')}\0`)
  return hash.digest('hex')
}

/** What it finds in the file; nothing where it is right. */
async function check(file) {
  try {
    const words = ['--quiet', '-p', build, ...LESS_DEEP, file]
    await execute('clang-tidy', words, { maxBuffer: MOST_OUTPUT })
    return ''
  } catch ({ stdout, message }) {
    return stdout || message
  }
}

/** Another run may have taken it away. */
const lastUse = (mark) => statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? Infinity

function forgetOld() {
  for (const name of readdirSync(kept))
    if (lastUse(join(kept, name)) < Date.now() - KEPT_MS) rmSync(join(kept, name), { force: true })
}

/** The program and its checks, which are the same for all files of a folder. */
async function askChecker(file) {
  const said = [['--version'], ['--dump-config', '-p', build, file]].map((words) =>
    execute('clang-tidy', words),
  )
  return (await Promise.all(said)).map(({ stdout }) => stdout).join('') + LESS_DEEP.join(' ')
}

/** @type {Map<string, Promise<string>>} by folder */
const checkers = new Map()
function checkerOf(file) {
  const checker = checkers.get(dirname(file)) ?? askChecker(file)
  checkers.set(dirname(file), checker)
  return checker
}

const all = positionals.length > 0 ? positionals.map((name) => resolve(name)) : sources()
const commands = readCommands()
mkdirSync(kept, { recursive: true })

let checked = 0
let wrong = 0
async function work(file) {
  const command = commands.get(file)
  if (!command) throw new Error(`${relative(root, file)} is not in ${COMMANDS}`)
  const checker = await checkerOf(file)
  const source = await preprocessed(file, command)
  const mark = join(kept, keyOf(command, checker, source))
  if (values.all || !existsSync(mark)) {
    const found = await check(file)
    checked++
    if (found) {
      console.error(found)
      wrong++
      return
    }
    // Somebody may have written to one of its files meanwhile.
    if (join(kept, keyOf(command, checker, source)) !== mark) return
  }
  writeFileSync(mark, '') // its time is that of its last use
}

const left = [...all]
const worker = async () => {
  for (let file = left.shift(); file; file = left.shift()) await work(file)
}
await Promise.all(Array.from({ length: availableParallelism() }, worker))
forgetOld()
console.log(
  `clang-tidy: ${checked} of ${all.length} sources checked, the others were right before; ${wrong} are wrong`,
)
process.exitCode = wrong > 0 ? 1 : 0
