# slurm.sh - a Slurm of the test's own: a controller and nodes that are all this
# machine, on 127.0.0.1, with everything in a folder.  Sourced after lib.sh.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154

# slurm_missing: what is not installed; nothing if all is.
slurm_missing() {
	[ "$(id -u)" = 0 ] || echo "root"
	for slurm_program in slurmctld slurmd munged sbatch squeue scontrol; do
		has_program "$slurm_program" || echo "$slurm_program"
	done
}

# start_slurm FOLDER NODES CPUS: sets SLURM_CONF.  1: it does not start.
start_slurm() {
	slurm=$1 slurm_nodes=$2
	slurm_host=$(hostname -s)
	slurm_port=$(free_ports 9) || return 1
	mkdir -p "$slurm/state"
	chmod 755 "$slurm"
	(umask 077 && head -c 1024 /dev/urandom >"$slurm/munge.key")
	# shellcheck disable=SC2086
	write_slurm_conf "$3" $slurm_port >"$slurm/slurm.conf"
	# Later ones demand control groups, which a container may not have.
	case $(slurmd -V) in
	*\ 2[0-2].*) ;;
	*) echo "CgroupPlugin=disabled" >"$slurm/cgroup.conf" ;;
	esac
	export SLURM_CONF="$slurm/slurm.conf"
	munged --force --num-threads=2 --key-file="$slurm/munge.key" \
		--socket="$slurm/munge.socket" --pid-file="$slurm/munged.pid" \
		--log-file="$slurm/munged.log" --seed-file="$slurm/munge.seed" ||
		return 1
	start_controller
	slurm_i=0
	while [ $slurm_i -lt "$slurm_nodes" ]; do
		slurm_i=$((slurm_i + 1))
		start_node n$slurm_i
	done
	wait_for all_idle
}
write_slurm_conf() {	# write_slurm_conf CPUS PORT...
	slurm_cpus=$1 slurm_ctl=$2
	shift 2
	cat <<END
ClusterName=test
SlurmctldHost=$slurm_host(127.0.0.1)
SlurmctldPort=$slurm_ctl
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool.%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=30
SlurmctldTimeout=10
MessageTimeout=5
KillWait=2
InactiveLimit=0
MinJobAge=3600
BatchStartTimeout=1
JobRequeue=1
MaxArraySize=101
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
	slurm_i=0
	for slurm_p; do
		slurm_i=$((slurm_i + 1))
		[ $slurm_i -le "$slurm_nodes" ] || break
		echo "NodeName=n$slurm_i NodeHostname=$slurm_host" \
			"NodeAddr=127.0.0.1 Port=$slurm_p CPUs=$slurm_cpus" \
			"RealMemory=2000 State=UNKNOWN"
	done
}
start_controller() { slurmctld >>"$slurm/start.log" 2>&1; }
start_node() { slurmd -N "$1" >>"$slurm/start.log" 2>&1; }
all_idle() {
	same "$(sinfo -h -N -t idle -o %N | sort -u | wc -l)" "$slurm_nodes"
}
slurm_pid() { cat "$slurm/$1.pid"; }

no_jobs() { same "$(squeue -h 2>&1)" ""; }
# start_requeued: a job that was put back may start at once, not in two minutes;
# but not within the second in which its node took its credential back.
start_requeued() {
	slurm_jobs=$(squeue -h -r -t PD -o '%i/%r' | grep /BeginTime)
	[ -z "$slurm_jobs" ] || sleep 2
	for slurm_job in $slurm_jobs; do
		scontrol update "JobId=${slurm_job%/*}" StartTime=now
	done
	no_jobs
}

# kill_node NODE: its daemon, those of its running jobs, and all they started.
# They are stopped before they are killed: one that still saw its job's end would
# report a failed job, which is not put back.
kill_node() {
	python3 - "$slurm/slurmd.$1.log" "$(slurm_pid "slurmd.$1")" <<'END'
import os, signal, sys
log, daemon = sys.argv[1], int(sys.argv[2])
parents, mine = {}, {daemon}
os.kill(daemon, signal.SIGSTOP)
for p in filter(str.isdigit, os.listdir("/proc")):
    try:
        if any(os.readlink("/proc/%s/fd/%s" % (p, f)) == log
               for f in os.listdir("/proc/%s/fd" % p)):
            os.kill(int(p), signal.SIGSTOP)
            mine.add(int(p))
        stat = open("/proc/%s/stat" % p).read().rsplit(")", 1)[1].split()
        parents[int(p)] = int(stat[1])
    except OSError:
        pass
for _ in range(9):
    mine |= {p for p in parents if parents[p] in mine}
for p in mine:
    try:
        os.kill(p, signal.SIGKILL)
    except ProcessLookupError:
        pass
END
}

stop_slurm() {
	[ -n "${slurm-}" ] || return 0
	scancel --state=PENDING,RUNNING,SUSPENDED -u root 2>/dev/null
	wait_for no_jobs
	for slurm_pidfile in "$slurm"/slurmd.*.pid "$slurm/slurmctld.pid" \
			"$slurm/munged.pid"; do
		slurm_p=$(cat "$slurm_pidfile" 2>/dev/null) || continue
		kill "$slurm_p" 2>/dev/null
		wait_for has_ended "$slurm_p" || kill -9 "$slurm_p" 2>/dev/null
	done
}
