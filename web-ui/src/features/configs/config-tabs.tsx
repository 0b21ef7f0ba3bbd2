// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import classes from './configs.module.css'

export function ConfigTabs({ name }: { name: string }) {
  const active = { exact: true, includeSearch: false }
  return (
    <nav aria-label={`Views of ${name}`} className={classes.tabs}>
      <Link to="/configs/$name" params={{ name }} activeOptions={active}>
        Editor
      </Link>
      <Link to="/configs/$name/versions" params={{ name }} activeOptions={{ includeSearch: false }}>
        Versions
      </Link>
      <Link to="/configs/$name/compare" params={{ name }} activeOptions={active}>
        Compare
      </Link>
    </nav>
  )
}
