// SPDX-License-Identifier: MIT
// What runs once for all windows of a browser that show the same console.
import { type Asked, createHub } from './hub.ts'
import { listen } from './stream.ts'

const hub = createHub(listen)

self.addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports
  if (port === undefined) return
  port.onmessage = ({ data }: MessageEvent<Asked>) => {
    if (data === 'leave') hub.leave(port)
    else hub.join(port, data.join)
  }
})
