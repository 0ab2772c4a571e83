import { testFaultsOfInstallation } from '#test/support/bad-days.ts';

testFaultsOfInstallation('embedded');
