// SPDX-License-Identifier: MIT
import type { Stage } from './api-types.ts'

/** In the order they happen in a request, the whole first. */
export const stages = {
  total: { label: 'Total', help: 'From the last byte of the request to the last byte sent.' },
  firstByte: {
    label: 'First byte',
    help: 'From the last byte of the request to the first byte sent.',
  },
  statWait: { label: 'Look-up wait', help: 'Look-ups queued until a stat thread took them.' },
  stat: { label: 'Look-up', help: 'Opening and examining files on the stat threads.' },
  readWait: { label: 'Read wait', help: 'Reads queued until a read thread took them.' },
  handshake: { label: 'TLS handshake', help: 'From a handshake’s first bytes to its end.' },
  read: { label: 'Read', help: 'Reading from disk on the read threads.' },
  write: { label: 'Write', help: 'From the first byte given to the socket to the last.' },
  writeClient: {
    label: 'Write: client',
    help: 'Of the write, where the socket was waited for: the client took nothing.',
  },
  writeBuffer: {
    label: 'Write: send buffer',
    help: 'Of the write, where the socket was waited for: the send buffer was too small.',
  },
  writeNetwork: {
    label: 'Write: network',
    help: 'Of the write, where the socket was waited for: bytes were under way.',
  },
  roundTrip: {
    label: 'Round trip',
    help: 'To clients and back, of responses for which the socket was waited for.',
  },
} satisfies Record<Stage, { label: string; help: string }>

export const isStage = (value: unknown): value is Stage =>
  typeof value === 'string' && Object.hasOwn(stages, value)
