// SPDX-License-Identifier: MIT
// The stream that all windows of a browser share, as one of them hears it. Browsers allow six connections to an HTTP/1.1
// server: with a stream for each, a seventh window froze. Where there are no shared workers, as in Chrome on Android, each
// window has a stream of its own.
import type { Asked } from './hub.ts'
import { type Listen, listen, type Said } from './stream.ts'

const NAME = 'farmstead-live'
/** An address that the control plane no longer has, after an upgrade: the next try is without it. */
let isBroken = false

export const listenTogether: Listen = (url, hear) => {
  if (isBroken || typeof SharedWorker === 'undefined') return listen(url, hear)
  const worker = new SharedWorker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: NAME,
  })
  const say = (asked: Asked) => worker.port.postMessage(asked)
  const isOver = () => hear({ is: 'lost', isOver: true })
  const close = () => {
    window.removeEventListener('pagehide', leave)
    window.removeEventListener('pageshow', back)
    say('leave')
    worker.port.close()
  }
  // The worker is told by nobody that a window is gone.
  const leave = () => say('leave')
  const back = ({ persisted }: PageTransitionEvent) => {
    if (persisted) isOver()
  }
  worker.onerror = () => {
    isBroken = true
    isOver()
  }
  worker.port.onmessage = ({ data }: MessageEvent<Said>) => hear(data)
  window.addEventListener('pagehide', leave)
  window.addEventListener('pageshow', back)
  say({ join: url })
  return close
}
