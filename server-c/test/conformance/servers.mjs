// SPDX-License-Identifier: MIT
// Servers to compare with: each on a loopback port of its own, with the docroot the rows ask for
// and its own defaults for everything else. They are started from their binaries, never as a
// service.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { startNode, until } from '../support/node.mjs'
import { writeDocroot } from './docroot.mjs'

function answers(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

async function start(command, args, port) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text
  })
  const exit = once(child, 'close')
  let ended = false
  exit.then(() => {
    ended = true
  })
  await until(async () => {
    if (ended) throw new Error(`${command} has ended:\n${log}`)
    return answers(port)
  }, `${command} to listen`)
  return {
    port,
    stop: async () => {
      child.kill('SIGTERM')
      await exit
    },
  }
}

export async function startFarmstead(folder) {
  const cleanups = []
  writeDocroot(folder)
  const node = await startNode(
    { after: (f) => cleanups.push(f) },
    {
      config: {
        sites: [
          { hosts: ['*'], root: `${folder}/www` },
          { hosts: ['other.test'], root: `${folder}/other` },
        ],
      },
    },
  )
  return {
    port: node.port,
    stop: async () => {
      for (const f of cleanups.reverse()) await f()
    },
  }
}

export async function startNginx(binary, folder) {
  const port = await freePort()
  writeDocroot(folder)
  mkdirSync(join(folder, 'temp'))
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(' ')
  const server = (name, root) =>
    `server { listen 127.0.0.1:${port}${name ? '' : ' default_server'}; server_name "${name}";
       root ${folder}/${root}; index index.html; }`
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
     events {}
     http { ${temps} access_log off;
       types { text/plain txt; text/html html; application/octet-stream bin; }
       ${server('', 'www')} ${server('other.test', 'other')} }\n`,
  )
  return start(binary, ['-p', folder, '-c', join(folder, 'nginx.conf')], port)
}

export async function startLighttpd(binary, modules, folder) {
  const port = await freePort()
  writeDocroot(folder)
  writeFileSync(
    join(folder, 'lighttpd.conf'),
    `server.document-root = "${folder}/www"
     server.bind = "127.0.0.1"
     server.port = ${port}
     server.errorlog = "${folder}/error.log"
     index-file.names = ( "index.html" )
     mimetype.assign = ( ".txt" => "text/plain", ".html" => "text/html",
                         "" => "application/octet-stream" )
     $HTTP["host"] =~ "^other\\.test\\.?(:|$)" { server.document-root = "${folder}/other" }\n`,
  )
  return start(binary, ['-D', '-f', join(folder, 'lighttpd.conf'), '-m', modules], port)
}
