# hadoop.sh - a Hadoop of the test's own: a resource manager and a node that are
# this machine, on 127.0.0.1. Sourced after engines.sh.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2086,SC2154

HADOOP_VERSION=3.4.2		# the last one whose hadoop-streaming is published

# find_hadoop: $hadoop/jars has its jars; 1: $install_problem says why not
find_hadoop() {
	hadoop=$installed/hadoop
	install_once hadoop "$HADOOP_VERSION" install_hadoop
}
install_hadoop() {
	hadoop_pom >"$hadoop/pom.xml" &&
		timeout "$INSTALL_SECONDS" mvn -q -B -f "$hadoop/pom.xml" \
			dependency:copy-dependencies -DincludeScope=runtime \
			-DoutputDirectory="$hadoop/jars"
}
# the small cluster's classes are for tests, and want theirs
hadoop_pom() {
	cat <<'END'
<project xmlns="http://maven.apache.org/POM/4.0.0">
 <modelVersion>4.0.0</modelVersion>
 <groupId>crawlfs</groupId><artifactId>engine</artifactId><version>1</version>
 <dependencies>
END
	for hadoop_artifact in \
		org.apache.hadoop:hadoop-minicluster:$HADOOP_VERSION \
		org.apache.hadoop:hadoop-streaming:$HADOOP_VERSION \
		org.mockito:mockito-core:2.28.2 junit:junit:4.13.2; do
		echo "$hadoop_artifact" | sed 's,\(.*\):\(.*\):\(.*\),  <dependency>\
   <groupId>\1</groupId><artifactId>\2</artifactId><version>\3</version>\
  </dependency>,'
	done
	printf ' </dependencies>\n</project>\n'
}

# java_of_hadoop CLASS ARGUMENT...
java_of_hadoop() {
	java -Xmx512m $hadoop_opens -cp "$hadoop/jars/*" "$@"
}
hadoop_opens="--add-opens=java.base/java.lang=ALL-UNNAMED
 --add-opens=java.base/java.util=ALL-UNNAMED
 --add-opens=java.base/java.util.concurrent=ALL-UNNAMED"

# start_hadoop FOLDER: $hadoop_options leads jobs to it.  1: it does not start.
start_hadoop() {
	mkdir -p "$1"
	set -- "$1" $(free_ports 8)
	hadoop_options="-D mapreduce.framework.name=yarn
 -D yarn.minicluster.fixed.ports=true
 -D yarn.resourcemanager.hostname=127.0.0.1
 -D yarn.resourcemanager.address=127.0.0.1:$2
 -D yarn.resourcemanager.scheduler.address=127.0.0.1:$3
 -D yarn.resourcemanager.resource-tracker.address=127.0.0.1:$4
 -D yarn.resourcemanager.admin.address=127.0.0.1:$5
 -D yarn.resourcemanager.webapp.address=127.0.0.1:$6
 -D mapreduce.jobhistory.address=127.0.0.1:$7
 -D mapreduce.jobhistory.webapp.address=127.0.0.1:$8
 -D mapreduce.jobhistory.admin.address=127.0.0.1:$9
 -D yarn.nodemanager.hostname=127.0.0.1
 -D yarn.nodemanager.address=127.0.0.1:0
 -D yarn.nodemanager.localizer.address=127.0.0.1:0
 -D yarn.nodemanager.webapp.address=127.0.0.1:0
 -D yarn.nodemanager.vmem-check-enabled=false
 -D yarn.nodemanager.disk-health-checker.enable=false
 -D mapreduce.application.classpath=$hadoop/jars/*
 -D yarn.app.mapreduce.am.staging-dir=$1/staging"
	(cd "$1" && exec java -Xmx512m $hadoop_opens -cp "$hadoop/jars/*" \
		org.apache.hadoop.mapreduce.MiniHadoopClusterManager -nodfs \
		-nodemanagers 1 -rmport "$2" -jhsport "$7" \
		-writeConfig "$1/conf.xml" $hadoop_options \
		</dev/null >"$1/log" 2>&1) &
	hadoop_pid=$!
	wait_for hadoop_is_up "$1"
	[ -s "$1/conf.xml" ]
}
hadoop_is_up() { [ -s "$1/conf.xml" ] || has_ended "$hadoop_pid"; }
stop_hadoop() { kill "$hadoop_pid" 2>/dev/null && wait "$hadoop_pid"; }
