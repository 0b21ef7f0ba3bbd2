// SPDX-License-Identifier: MIT
// Visitors of a node who are too many for its disk, or too slow for what it sends.
import { Agent, get } from 'node:http'
import { connect } from 'node:http2'

/** Begins, and returns how to stop. */
export type Load = (origin: string) => () => void

/** So many clients, each asking for the next path when it has its answer. */
export const quickly =
  ({ clients, paths }: { clients: number; paths: readonly string[] }): Load =>
  (origin) => {
    const agent = new Agent({ keepAlive: true, maxSockets: clients })
    let next = 0
    let isOver = false
    const ask = () => {
      if (isOver) return
      const request = get(origin + paths[next++ % paths.length], { agent }, (answer) => {
        answer.resume()
        answer.on('end', ask)
      })
      // A config came meanwhile, and ended the connection.
      request.on('error', () => setTimeout(ask, 100))
    }
    for (let i = 0; i < clients; i++) ask()
    return () => {
      isOver = true
      agent.destroy()
    }
  }

const WINDOW_BYTES = 16_384
const PAUSE_MS = 30

/** Takes the file over and over, some thousand bytes at a time, on so many streams of one connection. */
export const slowly =
  ({ streams, path }: { streams: number; path: string }): Load =>
  (origin) => {
    const session = connect(origin, { settings: { initialWindowSize: WINDOW_BYTES } })
    const take = () => {
      if (session.destroyed) return
      const stream = session.request({ ':path': path })
      stream.on('data', () => {
        stream.pause()
        setTimeout(() => stream.resume(), PAUSE_MS)
      })
      stream.on('end', take)
      stream.on('error', () => {})
    }
    session.on('error', () => {})
    for (let i = 0; i < streams; i++) take()
    return () => session.destroy()
  }
