// SPDX-License-Identifier: MIT
// Who may include whom: src/README.md lists the folders, lowest first, and a file includes only what
// is in its own folder or in one that is listed before it. What is "pure" there is tested and fuzzed
// without a loop, a socket or a file, so it includes nothing that would bring one.
//   node test/check-includes.mjs [SRC]     prints each break of the rules; exits with 1 if there is one
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const src = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../src')
const impure =
  /^(curl\/.*|dirent|fcntl|poll|pthread|sys\/(epoll|file|inotify|mman|sendfile|socket|stat|statvfs|uio|vfs)|unistd|uv)\.h$/

// A row: | `folder/` | what lives there | "pure", "pure: `module`" or nothing |
const rows = readFileSync(join(src, 'README.md'), 'utf8').matchAll(
  /^\| `(\w+)\/` \|.*\|([^|]*)\|$/gm,
)
const rooms = new Map()
for (const [, name, promise] of rows) {
  const modules = [...promise.matchAll(/`(\w+)`/g)].map(([, module]) => module)
  const isPure = (file) =>
    promise.includes('pure') && (modules.length === 0 || modules.includes(file.split('.')[0]))
  rooms.set(name, { level: rooms.size, isPure })
}

const breaks = []
const files = []
for (const entry of readdirSync(src, { withFileTypes: true })) {
  if (!entry.isDirectory()) {
    if (entry.name !== 'README.md') breaks.push(`${entry.name}: move it into a folder`)
    continue
  }
  const names = readdirSync(join(src, entry.name))
  if (!rooms.has(entry.name)) breaks.push(`${entry.name}/: give it its place in src/README.md`)
  if (!names.includes('README.md'))
    breaks.push(`${entry.name}/: say in a README.md what lives there`)
  for (const name of names.filter((name) => name !== 'README.md')) {
    if (/\.(c|h|def)$/.test(name)) files.push(`${entry.name}/${name}`)
    else breaks.push(`${entry.name}/${name}: only .c, .h, .def and README.md are looked for here`)
  }
}

const known = new Set(files)
for (const file of files) {
  const [folder, name] = file.split('/')
  const own = rooms.get(folder)
  if (!own) continue
  for (const [i, line] of readFileSync(join(src, file), 'utf8').split('\n').entries()) {
    const [, quote, included] = /^\s*#\s*include\s+(["<])([^">]+)[">]/.exec(line) ?? []
    if (!included) continue
    const where = `${file}:${i + 1}`
    if (quote === '<') {
      if (own.isPure(name) && impure.test(included))
        breaks.push(`${where}: what is pure does not include <${included}>`)
    } else if (!known.has(included)) {
      breaks.push(`${where}: "${included}" is not in src: write "folder/file.h"`)
    } else {
      const theirs = rooms.get(included.split('/')[0])
      if (theirs && theirs.level > own.level)
        breaks.push(`${where}: "${included}" is of a folder that src/README.md lists later`)
    }
  }
}
for (const name of rooms.keys())
  if (!files.some((file) => file.startsWith(`${name}/`)))
    breaks.push(`${name}/: src/README.md lists it, and nothing is in it`)

for (const one of breaks) console.error(one)
console.log(`check-includes: ${files.length} files, ${rooms.size} folders, ${breaks.length} breaks`)
process.exit(breaks.length > 0 ? 1 : 0)
