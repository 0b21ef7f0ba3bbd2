// SPDX-License-Identifier: MIT
// farmctl load, all day, at one address: what a load tool sees of the farm, which asks nobody twice.
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from '../../scripts/setup/paths.mjs'
import { Child, cleanEnv } from '../real-farm/processes.ts'
import type { GameFarm } from './farm.ts'

const FARMCTL = join(root, 'control-api/bin/farmctl')

export class Load {
  readonly #child: Child
  /** Ended, and all it said has been read. */
  readonly #closed: Promise<unknown>
  #output = ''

  constructor(
    farm: GameFarm,
    { port, perSecond, seconds }: { port: number; perSecond: number; seconds: number },
  ) {
    const address = farm.network.visitors
    const words = ['--rate', String(perSecond), '--seconds', String(seconds), '--clients', '50']
    const allowed = ['--yes-i-may-load', address]
    this.#child = new Child({
      command: [FARMCTL, '--quiet', 'load', `http://${address}:${port}/`, ...words, ...allowed],
      env: { ...cleanEnv(), NO_COLOR: '1' },
      logFile: join(farm.home, 'logs/load.log'),
      onOutput: (text) => {
        this.#output += text
      },
    })
    this.#closed = once(this.#child.process, 'close')
  }

  /** What it said, when its time is over. */
  async ended(): Promise<string> {
    await this.#closed
    return this.#output.trim()
  }
}
