import { onLibsql } from '../support/example/storages'
import { testSessions } from './storages/sessions'

onLibsql('sessions of the example', testSessions)
