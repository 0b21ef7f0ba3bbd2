// SPDX-License-Identifier: MIT
// Is a port free, and who has it?
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { basename } from 'node:path'

const LISTENING = '0A'

function listen(port: number): Promise<Server> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server))
  })
}

const close = (server: Server) => new Promise((resolve) => server.close(resolve))

export async function isFree(port: number): Promise<boolean> {
  try {
    await close(await listen(port))
    return true
  } catch {
    return false
  }
}

function socketInodes(port: number): Set<string> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => {
    try {
      return readFileSync(file, 'utf8').split('\n').slice(1)
    } catch {
      return []
    }
  })
  const listening = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTENING && local?.endsWith(`:${hexPort}`))
  return new Set(listening.map((fields) => `socket:[${fields[9]}]`))
}

function holdsOneOf(pid: string, sockets: Set<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return sockets.has(readlinkSync(`/proc/${pid}/fd/${fd}`))
      } catch {
        return false
      }
    })
  } catch {
    return false
  }
}

/** "nginx (pid 812)", or an empty string when it cannot be seen (another user's process). */
export function portHolder(port: number): string {
  const sockets = socketInodes(port)
  if (sockets.size === 0) return ''
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holdsOneOf(name, sockets))
  if (!pid) return ''
  // Not `comm`: Node calls itself MainThread there.
  const [program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  return `${basename(program)} (pid ${pid})`
}
