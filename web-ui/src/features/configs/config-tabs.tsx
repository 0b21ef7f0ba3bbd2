// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import { TabBar } from '../../components/tab-bar.tsx'

export function ConfigTabs({ name }: { name: string }) {
  const active = { exact: true, includeSearch: false }
  return (
    <TabBar label={`Views of ${name}`}>
      <Link to="/configs/$name" params={{ name }} activeOptions={active}>
        Editor
      </Link>
      <Link to="/configs/$name/versions" params={{ name }} activeOptions={{ includeSearch: false }}>
        Versions
      </Link>
      <Link to="/configs/$name/compare" params={{ name }} activeOptions={active}>
        Compare
      </Link>
    </TabBar>
  )
}
