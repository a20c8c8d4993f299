"""Where all tests of a file are skipped, ctest says so: exit status 77."""


def pytest_sessionfinish(session, exitstatus):
    reports = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if exitstatus == 0 and not reports.get("passed"):
        session.exitstatus = 77
