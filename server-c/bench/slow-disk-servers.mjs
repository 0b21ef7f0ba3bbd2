// SPDX-License-Identifier: MIT
// The servers beside each other, each as its experts would set it up for static files on one core.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../scripts/testing/free-port.mjs'

const NODE = fileURLToPath(new URL('../build/release/farmstead-node', import.meta.url))
const START_MS = 5000
const STOP_MS = 3000

const nginx =
  (more = '') =>
  ({ folder, root, port }) => ({
    file: 'nginx.conf',
    text: `worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
worker_rlimit_nofile 65536; user root;
events { worker_connections 16384; }
http {
  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 1000000000;
  open_file_cache max=250000 inactive=60s; open_file_cache_valid 30s; open_file_cache_errors on;
  types { } default_type application/octet-stream; ${more}
  server { listen 127.0.0.1:${port} reuseport; root ${root}; }
}
`,
    command: ['nginx', '-p', folder, '-c', join(folder, 'nginx.conf')],
  })

/** name → ({folder, root, port}) → {file, text, command} */
export const servers = {
  farmstead: ({ folder, root, port, node = {} }) => ({
    file: 'node.json',
    text: JSON.stringify({
      listen: [{ address: '127.0.0.1', port }],
      workers: 1,
      limits: { keepAliveRequests: 1_000_000 },
      // The others don't look for compressed copies either.
      sites: [{ hosts: ['*'], root, precompressed: [] }],
      ...node,
    }),
    command: [
      resolve(process.env.FARMSTEAD_NODE ?? NODE),
      ...['serve', '--config', join(folder, 'node.json')],
    ],
  }),
  nginx: nginx(),
  'nginx-threads': nginx('aio threads;'),
  lighttpd: ({ folder, root, port }) => ({
    file: 'lighttpd.conf',
    text: `server.document-root = "${root}"
server.bind = "127.0.0.1"
server.port = ${port}
server.max-fds = 65536
server.max-connections = 16384
server.max-keep-alive-requests = 65535
server.stat-cache-engine = "inotify"
server.network-backend = "sendfile"
server.errorlog = "${folder}/error.log"
mimetype.assign = ( "" => "application/octet-stream" )
`,
    command: ['lighttpd', '-D', '-f', join(folder, 'lighttpd.conf')],
  }),
  h2o: ({ folder, root, port }) => ({
    file: 'h2o.yaml',
    text: `listen: { host: 127.0.0.1, port: ${port} }
user: root
num-threads: 1
max-connections: 16384
error-log: ${folder}/error.log
hosts:
  default:
    paths:
      /:
        file.dir: ${root}
`,
    command: ['h2o', '-c', join(folder, 'h2o.yaml')],
  }),
  apache: ({ folder, root, port }) => ({
    file: 'apache.conf',
    text: `ServerRoot ${folder}
ServerName bench
Listen 127.0.0.1:${port}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
User www-data
Group www-data
StartServers 2
ServerLimit 16
ThreadsPerChild 64
MaxRequestWorkers 1024
MaxKeepAliveRequests 0
KeepAlive On
KeepAliveTimeout 60
EnableSendfile On
EnableMMAP Off
DocumentRoot ${root}
<Directory ${root}>
  AllowOverride None
  Require all granted
</Directory>
`,
    command: ['apache2', '-D', 'FOREGROUND', '-f', join(folder, 'apache.conf')],
  }),
}

const answers = (port) =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => done(true)).on('error', () => done(false))
    socket.on('connect', () => socket.destroy())
  })

/** Starts it behind the words of `wrap`; {port, pid, stop()}. */
export async function startServer(name, { root, wrap, node }) {
  const folder = mkdtempSync(join(tmpdir(), 'farmstead-bench-'))
  const port = await freePort()
  const { file, text, command } = servers[name]({ folder, root, port, node })
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  writeFileSync(join(folder, file), text)
  const [program, ...args] = [...wrap, ...command]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (bytes) => {
    log += bytes
  })
  const ended = new Promise((done) => child.on('close', done))
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(timer)
    rmSync(folder, { recursive: true, force: true })
  }
  for (const start = Date.now(); !(await answers(port)); await sleep(20))
    if (Date.now() - start > START_MS || child.exitCode !== null) {
      await stop()
      throw new Error(`${name} does not start:\n${log}`)
    }
  return { port, pid: child.pid, stop }
}
