// Workers of the example application that share one port.
import cluster from 'node:cluster'
import { join } from 'node:path'

cluster.setupPrimary({ exec: join(__dirname, '../../../example-app/main.js') })
for (let worker = 0; worker < 3; worker++) cluster.fork()
