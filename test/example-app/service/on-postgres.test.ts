import { onPostgres } from '../../support/example/storages'
import { testConfirmation } from '../storages/confirm'
import { testSecrets } from '../storages/secrets'
import { testSessions } from '../storages/sessions'
import { testStorage } from '../storages/storage'

// What `npm test` tests on libsql.

onPostgres('the question of the example whose login this is', testConfirmation)
onPostgres('sessions of the example', testSessions)
onPostgres('what the example writes', testSecrets)
onPostgres('storage of the example', testStorage)
