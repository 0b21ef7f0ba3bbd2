// SPDX-License-Identifier: MIT
// A balancer that gives each request to any node, also those of one connection: nothing is worse for a page whose files are of
// one version. It knows nothing of rollouts, and counts.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listenAt } from '../real-farm/listen.ts'
import type { Random } from '../real-farm/random.ts'
import type { Member } from './farm.ts'

type Deps = {
  members: readonly Member[]
  random: Random
  /** Told of each answer; `status` null: the node gave none. */
  onAnswer: (answer: { node: string; path: string; status: number | null }) => void
}

export class RequestBalancer {
  readonly #deps: Deps
  readonly #server = createServer((asked, answer) => this.#pass(asked, answer))

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Resolves with its port. */
  start(address: string): Promise<number> {
    return listenAt(this.#server, address)
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const { members, random, onAnswer } = this.#deps
    const { node } = random.pick(members)
    const { url: path = '/', method, headers } = asked
    const place = { host: node.host, port: node.port, agent: false }
    const onward = request({ ...place, path, method, headers }, (given) => {
      const { statusCode: status = 0 } = given
      onAnswer({ node: node.name, path, status })
      answer.writeHead(status, given.headers)
      given.pipe(answer)
    })
    onward.on('error', () => {
      if (!answer.headersSent) onAnswer({ node: node.name, path, status: null })
      answer.destroy()
    })
    asked.pipe(onward)
  }
}
