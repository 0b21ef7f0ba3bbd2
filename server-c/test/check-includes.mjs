// SPDX-License-Identifier: MIT
// Who may include whom: a file includes only what is on its own layer or below. Run without
// arguments; prints each break of the rule and exits with 1 when there is one.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const src = join(dirname(fileURLToPath(import.meta.url)), '../src')

// The first layer that a module's name matches is its own; a module without a layer is an error.
const layers = [
  {
    name: 'base',
    modules: /^(buf|hash_table|list|log_format|log_line|log_text|mem|proto|text_pos|utf8|util)$/,
  },
  {
    name: 'pure',
    modules:
      /^(address_block|config(_(?!check).*)?|digest|glob|histogram|http_.*|json_.*|mime|owner_policy|response.*|samples(_.*)?|sample_query|signed_url|stages|url_.*)$/,
    // What is pure is tested and fuzzed without a loop, a socket or a file.
    forbidden: /^(uv|fcntl|poll|pthread|sys\/(socket|epoll|sendfile|stat|uio))\.h$/,
  },
  {
    name: 'engine',
    modules:
      /^(access_line|access_log|auth.*|bounded_call|bounds|config_check.*|confined_.*|control_group|descriptors|dir_listing.*|file_.*|folder_.*|htpasswd|io_lane|io_port|log|log_file|log_out|log_tail|machine|metrics(_.*)?|mount_list|named_files|owner_file|peer_table|pid_file|rate_limit|root_disks|secret_file|served_file|site.*)$/,
  },
  {
    name: 'traffic',
    modules: /^(accept_deferral|body|body_.*|conn|conn_.*|listener|loop|poller|unix_socket)$/,
  },
  {
    name: 'process',
    modules:
      /^(admin|admin_.*|agent.*|cmd_.*|commands|confinement|end_guard|join_policy|main|pid_file|privileges|server|server_.*|service_notify|state_folder|supervis.*|worker)$/,
  },
]

const layerOf = (module) => layers.findIndex((layer) => layer.modules.test(module))
const moduleOf = (file) => basename(file).replace(/\.(c|h|def)$/, '')

const breaks = []
const files = readdirSync(src).filter((file) => /\.(c|h|def)$/.test(file))
const known = new Set(files)
for (const file of files) {
  const own = layerOf(moduleOf(file))
  // A table belongs to whoever includes it; only the code has a layer.
  if (own < 0 && !file.endsWith('.def'))
    breaks.push(`${file}: name its layer in test/check-includes.mjs`)
  if (own < 0) continue
  for (const [i, line] of readFileSync(join(src, file), 'utf8').split('\n').entries()) {
    const [, quote, included] = /^\s*#\s*include\s+(["<])([^">]+)[">]/.exec(line) ?? []
    if (!included) continue
    const where = `${file}:${i + 1}`
    if (quote === '<') {
      if (layers[own].forbidden?.test(included))
        breaks.push(`${where}: the ${layers[own].name} layer does not include <${included}>`)
      continue
    }
    if (!known.has(included)) breaks.push(`${where}: "${included}" is not in src`)
    const theirs = layerOf(moduleOf(included))
    if (theirs > own)
      breaks.push(
        `${where}: ${layers[own].name} includes "${included}" of the ${layers[theirs].name} layer`,
      )
    if (included === 'main.h') breaks.push(`${where}: nobody includes main`)
  }
}
for (const one of breaks) console.error(one)
console.log(`check-includes: ${files.length} files, ${breaks.length} breaks`)
process.exit(breaks.length > 0 ? 1 : 0)
