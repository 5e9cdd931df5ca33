import { outageTests, SHORT_OUTAGES } from './outage-table'

outageTests(SHORT_OUTAGES)
