// SPDX-License-Identifier: MIT
import './app/mantine-styles.ts'
import './app/theme.css'
import { createRoot } from 'react-dom/client'
import { createApp } from './app/app.tsx'

const RELOAD_AGAIN_AFTER_MS = 60_000

// A new console was installed while this one was open: its chunks are gone. Once, not in a loop.
window.addEventListener('vite:preloadError', (event) => {
  const key = 'farmstead.reloaded-at'
  if (Date.now() - Number(sessionStorage.getItem(key)) < RELOAD_AGAIN_AFTER_MS) return
  event.preventDefault()
  sessionStorage.setItem(key, String(Date.now()))
  window.location.reload()
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(createApp())
