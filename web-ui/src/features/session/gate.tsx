// SPDX-License-Identifier: MIT

import { useEffect } from 'react'
import { Lamp } from '../../components/lamp.tsx'
import { LanguageSelect } from '../../components/language-select.tsx'
import { t } from '../../languages/t.ts'
import classes from './gate.module.css'

export type GateProps = { title: string; intro?: React.ReactNode; children: React.ReactNode }

/** The frame of the screens before the console proper. */
export function Gate({ title, intro, children }: GateProps) {
  useEffect(() => {
    document.title = `${title} · Farmstead`
  }, [title])
  return (
    <main className={classes.gate} id="main" tabIndex={-1}>
      <div className={classes.brand}>
        <Lamp size={28} />
        <span>{t('Farmstead')}</span>
      </div>
      <div className={`panel ${classes.card}`}>
        <h1>{title}</h1>
        {intro !== undefined && <p className="dim">{intro}</p>}
        {children}
      </div>
      <LanguageSelect />
    </main>
  )
}
