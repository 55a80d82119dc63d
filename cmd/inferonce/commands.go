package main

import "github.com/spf13/cobra"

// commands lists every command, in the order in which somebody meets them.
func commands(env lookup) []*cobra.Command {
	return []*cobra.Command{
		newDevCmd(env),
		newDemoCmd(),
		newServeCmd(env),
		newInferCmd(env),
		newJobsCmd(env),
		newUnknownCmd(env),
		newEligibilityCmd(env),
		newConformanceCmd(env),
		newVerifyCmd(env),
		newSimCmd(env),
		newContractsCmd(env),
		newConfigCmd(env),
		newProvidersCmd(env),
		newReviewCmd(env),
		newDoctorCmd(env),
		newStoreCmd(env),
		newKeysCmd(env),
		newVersionCmd(env),
	}
}
