import { onLibsql } from '../support/example/storages'
import { testSecrets } from './storages/secrets'

onLibsql('what the example writes', testSecrets)
