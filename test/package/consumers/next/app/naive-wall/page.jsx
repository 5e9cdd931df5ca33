import { Wall } from '../wall.jsx'

// biome-ignore lint/style/noDefaultExport: Next wants one.
export default function Page() {
  return <Wall to="/auth" />
}
