// SPDX-License-Identifier: MIT
import { t } from '../languages/t.ts'
import type { Stage } from './api-types.ts'

/** In the order they happen in a request, the whole first. */
export const stages = {
  total: { label: t('Total'), help: t('From the last byte of the request to the last byte sent.') },
  firstByte: {
    label: t('First byte'),
    help: t('From the last byte of the request to the first byte sent.'),
  },
  statWait: { label: t('Look-up wait'), help: t('Look-ups queued until a stat thread took them.') },
  stat: { label: t('Look-up'), help: t('Opening and examining files on the stat threads.') },
  readWait: { label: t('Read wait'), help: t('Reads queued until a read thread took them.') },
  handshake: { label: t('TLS handshake'), help: t('From a handshake’s first bytes to its end.') },
  read: { label: t('Read'), help: t('Reading from disk on the read threads.') },
  write: { label: t('Write'), help: t('From the first byte given to the socket to the last.') },
  writeClient: {
    label: t('Write: client'),
    help: t('Of the write, where the socket was waited for: the client took nothing.'),
  },
  writeBuffer: {
    label: t('Write: send buffer'),
    help: t('Of the write, where the socket was waited for: the send buffer was too small.'),
  },
  writeNetwork: {
    label: t('Write: network'),
    help: t('Of the write, where the socket was waited for: bytes were under way.'),
  },
  roundTrip: {
    label: t('Round trip'),
    help: t('To clients and back, of responses for which the socket was waited for.'),
  },
} satisfies Record<Stage, { label: string; help: string }>

export const isStage = (value: unknown): value is Stage =>
  typeof value === 'string' && Object.hasOwn(stages, value)
