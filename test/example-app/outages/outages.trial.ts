import { OUTAGES, outageTests } from './outage-table'

outageTests(OUTAGES)
