// SPDX-License-Identifier: MIT
import './app/mantine-styles.ts'
import './app/theme.css'
import { createRoot } from 'react-dom/client'
import { createApp } from './app/app.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(createApp())
