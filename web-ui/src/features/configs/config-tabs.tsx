// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { TabBar } from '../../components/tab-bar.tsx'
import { t } from '../../languages/t.ts'

export function ConfigTabs({ name }: { name: string }) {
  const active = { exact: true, includeSearch: false }
  return (
    <TabBar label={t('Views of {name}', { name })}>
      <Link to="/configs/$name" params={{ name }} activeOptions={active}>
        {t('Editor')}
      </Link>
      <Link to="/configs/$name/versions" params={{ name }} activeOptions={{ includeSearch: false }}>
        {t('Versions')}
      </Link>
      <Link to="/configs/$name/compare" params={{ name }} activeOptions={active}>
        {t('Compare')}
      </Link>
    </TabBar>
  )
}
